<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

/**
 * Brings an order to what the gateway says of its charges. Webhooks, the poll and the page that a customer waits on all come here,
 * in any order and any number of times: what counts is what the gateway answers, never what a delivery says.
 */
final class Sync
{
    /** Seconds that one waits for another who works on the same order. */
    private const LOCK_WAIT = 10;
    private const NOTED = '_pixgate_noted';

    /**
     * @return bool false: somebody else works on the order; the next webhook or poll will do it
     * @throws \Pixgate\PixgateError the gateway does not answer
     */
    public static function order(int $orderId): bool
    {
        return self::locked($orderId, static function () use ($orderId): void {
            // Read anew: what the order was before the wait does not count.
            $order = wc_get_order($orderId);
            if (!$order instanceof \WC_Order || $order->get_payment_method() !== METHOD) {
                return;
            }
            $client = Settings::client();
            foreach (Charges::idsOf($order) as $id) {
                self::apply($order, $client->transactions->get($id));
            }
            Refunds::settle($order, $client);
        });
    }

    /** Runs the work while nobody else works on the order, in any process of the shop. */
    public static function locked(int $orderId, callable $work): bool
    {
        global $wpdb;
        $name = substr(hash('sha256', DB_NAME . $wpdb->prefix), 0, 16) . "-pixgate-$orderId";
        if ((string) $wpdb->get_var($wpdb->prepare('select get_lock(%s, %d)', $name, self::LOCK_WAIT)) !== '1') {
            return false;
        }
        try {
            // What this process has read before the wait is of before the wait.
            wp_cache_flush_runtime();
            $work();
        } finally {
            $wpdb->get_var($wpdb->prepare('select release_lock(%s)', $name));
        }
        return true;
    }

    private static function apply(\WC_Order $order, array $transaction): void
    {
        $id = $transaction['id'];
        if ($transaction['status'] === 'completed') {
            self::paid($order, $transaction);
        } elseif ($transaction['status'] !== 'pending' && $id === $order->get_transaction_id() && $order->has_status('on-hold')) {
            // Failed, not cancelled: the customer can pay the order with a new code.
            $order->update_status('failed', __('The Pix code expired without a payment.', 'pixgate-for-woocommerce'));
        }
    }

    private static function paid(\WC_Order $order, array $transaction): void
    {
        $id = $transaction['id'];
        if ($order->get_date_paid() !== null) {
            if ($order->get_transaction_id() !== $id) {
                /* translators: %s: id of the payment */
                self::noteOnce($order, $id, __('A second code of this order was paid too (%s): refund it in Pixgate.', 'pixgate-for-woocommerce'));
            }
            return;
        }
        if (Charges::centavos($transaction['amount']) !== Charges::centavos($order->get_total())) {
            /* translators: %s: id of the payment */
            self::noteOnce($order, $id, __('Pix received with another amount than the order has now (%s): decide by hand.', 'pixgate-for-woocommerce'));
            return;
        }
        $order->add_order_note(sprintf(
            /* translators: %s: the network's id of the Pix */
            __('Pix received (%s).', 'pixgate-for-woocommerce'),
            $transaction['e2eId'] ?? $id,
        ));
        // Of a late payment: a code may be paid in its last second, when the order has failed already.
        $order->payment_complete($id);
    }

    private static function noteOnce(\WC_Order $order, string $id, string $text): void
    {
        $noted = $order->get_meta(self::NOTED);
        $noted = is_array($noted) ? $noted : [];
        if (in_array($id, $noted, true)) {
            return;
        }
        $order->update_meta_data(self::NOTED, [...$noted, $id]);
        $order->add_order_note(sprintf($text, $id));
        $order->save();
    }
}
