<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\Client;

/** What a payer's bank contests of an order's Pix (MED): a note while the money is held, and a refund for what it took back. */
final class Disputes
{
    /** On the order, while an amount of its Pix is contested: how much, in centavos. */
    public const HELD = '_pixgate_contested';

    /** Tells a person once how much is contested, and when nothing is any more: a defence has a deadline. */
    public static function follow(\WC_Order $order, array $transaction): void
    {
        if ($order->get_meta(Charges::PAID) !== $transaction['id']) {
            return;
        }
        $held = Charges::centavos($transaction['disputedAmount'] ?? 0);
        if ($held === (int) $order->get_meta(self::HELD)) {
            return;
        }
        if ($held === 0) {
            $order->delete_meta_data(self::HELD);
            $order->add_order_note(__('Nothing of the Pix is contested any more.', 'pixgate-for-woocommerce'));
        } else {
            $order->update_meta_data(self::HELD, (string) $held);
            $order->add_order_note(sprintf(
                /* translators: %s: amount */
                __('The bank of the payer contests %s of the Pix (MED): the money is held. Send your defence in Pixgate before its deadline.', 'pixgate-for-woocommerce'),
                wp_strip_all_tags(wc_price($held / 100, ['currency' => 'BRL'])),
            ));
        }
        $order->save();
    }

    public static function areOpen(\WC_Order $order): bool
    {
        return $order->get_meta(self::HELD) !== '';
    }

    /**
     * What went back to the payer without a refund of ours, in the shape of refunds.
     *
     * @return list<array<string, mixed>>
     */
    public static function taken(array $transaction, Client $client): array
    {
        if (Charges::centavos($transaction['returnedAmount'] ?? 0) <= Charges::centavos($transaction['refundedAmount'] ?? 0)) {
            return [];
        }
        $taken = $client->transactions->list(['type' => 'chargeback', 'originalTransactionId' => $transaction['id']])->toArray(100);
        return array_map(static fn (array $one): array => [
            'refundTransactionId' => $one['id'],
            'status' => $one['status'] === 'completed' ? 'CONFIRMED' : 'PENDING',
            'amount' => abs($one['amount']),
            'createdAt' => $one['createdAt'],
            'reason' => __('Contested by the payer (MED)', 'pixgate-for-woocommerce'),
            /* translators: 1: amount, 2: id of the transaction */
            'text' => __('%1$s was taken back by the bank of the payer (%2$s).', 'pixgate-for-woocommerce'),
        ], $taken);
    }
}
