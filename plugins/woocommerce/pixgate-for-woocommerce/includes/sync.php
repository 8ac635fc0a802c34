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
    /** Payments that a person was told of. */
    public const NOTED = '_pixgate_noted';

    /**
     * @param ?string $charge by its reference one of the order's, which an order that was restored from a backup may not know
     * @return bool false: somebody else works on the order; the next webhook or poll will do it
     * @throws \Pixgate\PixgateError the gateway does not answer
     */
    public static function order(int $orderId, ?string $charge = null): bool
    {
        return self::locked($orderId, static function () use ($orderId, $charge): void {
            // Read anew: what the order was before the wait does not count.
            $order = wc_get_order($orderId);
            if (!$order instanceof \WC_Order) {
                return;
            }
            Charges::dropCopied($order);
            $client = Settings::client();
            if ($charge !== null && !in_array($charge, Charges::idsOf($order), true)) {
                Charges::adopt($order, $client->transactions->get($charge));
            }
            if (Charges::idsOf($order) === []) {
                return;
            }
            Poll::asking($order);
            $transactions = array_map($client->transactions->get(...), Charges::idsOf($order));
            foreach ($transactions as $transaction) {
                self::apply($order, $transaction);
            }
            Refunds::settle($order, $client);
            foreach ($transactions as $transaction) {
                Refunds::import($order, $transaction, $client);
                Disputes::follow($order, $transaction);
            }
            Poll::asked($order, in_array('pending', array_column($transactions, 'status'), true));
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
        $waits = $order->has_status('on-hold') && $order->get_payment_method() === METHOD;
        if ($transaction['status'] === 'completed') {
            self::paid($order, $transaction);
        } elseif ($transaction['status'] !== 'pending' && $id === $order->get_transaction_id() && $waits) {
            // Failed, not cancelled: the customer can pay the order with a new code.
            $order->update_status('failed', __('The Pix code expired without a payment.', 'pixgate-for-woocommerce'));
        }
    }

    private static function paid(\WC_Order $order, array $transaction): void
    {
        $id = $transaction['id'];
        $paid = $order->get_meta(Charges::PAID);
        if ($paid === $id) {
            return;
        }
        $why = match (true) {
            /* translators: %s: id of the payment */
            !Charges::isOf($order, $transaction) => __('The Pix %s was issued for another order: it does not pay this one.', 'pixgate-for-woocommerce'),
            /* translators: %s: id of the payment */
            $paid !== '' => __('A second code of this order was paid too (%s): refund it in Pixgate.', 'pixgate-for-woocommerce'),
            /* translators: %s: id of the payment */
            $order->get_date_paid() !== null => __('Pix received (%s) for an order that was marked as paid without it: decide by hand.', 'pixgate-for-woocommerce'),
            /* translators: %s: id of the payment */
            $order->get_payment_method() !== METHOD => __('Pix received (%s) for an order that has another payment method now: decide by hand.', 'pixgate-for-woocommerce'),
            /* translators: %s: id of the payment */
            !Charges::isInReais($order) => __('Pix received (%s), in reais, for an order that is in another currency now: decide by hand.', 'pixgate-for-woocommerce'),
            /* translators: %s: id of the payment */
            Charges::centavos($transaction['amount']) !== Charges::centavos($order->get_total()) => __('Pix received with another amount than the order has now (%s): decide by hand.', 'pixgate-for-woocommerce'),
            default => null,
        };
        if ($why !== null) {
            self::noteOnce($order, $id, $why);
            return;
        }
        $order->update_meta_data(Charges::PAID, $id);
        // Of a late payment: a code may be paid in its last second, when the order has failed already.
        $order->payment_complete($id);
        if ($order->get_date_paid() === null) {
            $order->delete_meta_data(Charges::PAID);
            /* translators: %s: id of the payment */
            self::noteOnce($order, $id, __('Pix received (%s) for an order whose status takes no payment: decide by hand.', 'pixgate-for-woocommerce'));
            return;
        }
        $order->add_order_note(sprintf(
            /* translators: %s: the network's id of the Pix */
            __('Pix received (%s).', 'pixgate-for-woocommerce'),
            $transaction['e2eId'] ?? $id,
        ));
    }

    /** @param string $text with %s for the id */
    public static function noteOnce(\WC_Order $order, string $id, string $text): void
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
