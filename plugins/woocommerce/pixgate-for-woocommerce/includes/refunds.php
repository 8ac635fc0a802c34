<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\ApiError;
use Pixgate\CallOptions;
use Pixgate\Client;
use Pixgate\PixgateError;

/** Refunds of an order, whole and in part. */
final class Refunds
{
    /** On the refund that WooCommerce has made: 'unknown', 'sent' or 'done'. */
    private const STATE = '_pixgate_refund';
    /** On the order, while the outcome of a refund is open, so that the poll finds it. */
    public const OPEN = '_pixgate_refund_open';
    private const REFUND_ID = '_pixgate_refund_id';
    /** Answers after which the refund may have been made all the same, beside 5xx. */
    private const UNKNOWN = [401, 403, 408, 409, 429];

    /**
     * Sends the refund that WooCommerce has just made. Its id is the key, so that a repetition never pays twice.
     *
     * @return true|\WP_Error an error only where it is certain that nothing has moved: WooCommerce deletes the refund then. No answer
     *     is no refusal: the refund stays, and the poll finds out.
     */
    public static function send(\WC_Order $order, string $amount, string $reason): bool|\WP_Error
    {
        $refund = self::newest($order, $amount);
        if ($refund === null) {
            return new \WP_Error('pixgate', __('The order has no refund with this amount.', 'pixgate-for-woocommerce'));
        }
        $refund->update_meta_data(self::STATE, 'unknown');
        $refund->save();
        $order->update_meta_data(self::OPEN, 'yes');
        $order->save();
        try {
            self::request($order, $refund, Settings::client(), $reason);
            return true;
        } catch (ApiError $error) {
            if ($error->status < 500 && !in_array($error->status, self::UNKNOWN, true)) {
                return new \WP_Error('pixgate', $error->getMessage());
            }
        } catch (PixgateError) {
            // Below.
        }
        $order->add_order_note(__('No answer about the refund yet: it is repeated until there is one, and is made once.', 'pixgate-for-woocommerce'));
        return true;
    }

    /** Finds out what has become of every open refund. */
    public static function settle(\WC_Order $order, Client $client): void
    {
        if ($order->get_meta(self::OPEN) !== 'yes') {
            return;
        }
        foreach ($order->get_refunds() as $refund) {
            $state = $refund->get_meta(self::STATE);
            if ($state === 'unknown') {
                self::repeat($order, $refund, $client);
            }
            if ($refund->get_meta(self::STATE) === 'sent') {
                self::read($order, $refund, $client);
            }
        }
        $open = array_filter($order->get_refunds(), static fn ($one): bool => in_array($one->get_meta(self::STATE), ['unknown', 'sent'], true));
        if ($open === []) {
            $order->delete_meta_data(self::OPEN);
            $order->save();
        }
    }

    /** WooCommerce names the order and the amount only; the newest refund that has not been sent is the one that is meant. */
    private static function newest(\WC_Order $order, string $amount): ?\WC_Order_Refund
    {
        $found = null;
        foreach ($order->get_refunds() as $refund) {
            $isMeant = $refund->get_meta(self::STATE) === '' && Charges::centavos($refund->get_amount()) === Charges::centavos($amount);
            if ($isMeant && ($found === null || $refund->get_id() > $found->get_id())) {
                $found = $refund;
            }
        }
        return $found;
    }

    private static function request(\WC_Order $order, \WC_Order_Refund $refund, Client $client, string $reason): void
    {
        $key = sprintf('wc-%s-refund-%d', Settings::shop(), $refund->get_id());
        $answer = $client->refunds->create(
            $order->get_transaction_id(),
            ['amount' => Charges::centavos($refund->get_amount()) / 100] + ($reason === '' ? [] : ['reason' => mb_substr($reason, 0, 140)]),
            new CallOptions(idempotencyKey: $key),
        );
        $refund->update_meta_data(self::REFUND_ID, $answer['refundTransactionId']);
        $refund->update_meta_data(self::STATE, 'sent');
        $refund->save();
    }

    private static function repeat(\WC_Order $order, \WC_Order_Refund $refund, Client $client): void
    {
        try {
            self::request($order, $refund, $client, $refund->get_reason());
        } catch (ApiError $error) {
            if ($error->status < 500 && !in_array($error->status, self::UNKNOWN, true)) {
                self::failed($order, $refund, $error->getMessage());
            }
        }
    }

    private static function read(\WC_Order $order, \WC_Order_Refund $refund, Client $client): void
    {
        $id = $refund->get_meta(self::REFUND_ID);
        foreach ($client->refunds->list($order->get_transaction_id()) as $one) {
            if ($one['refundTransactionId'] !== $id) {
                continue;
            }
            if ($one['status'] === 'CONFIRMED') {
                $refund->update_meta_data(self::STATE, 'done');
                $refund->save();
                $order->add_order_note(sprintf(
                    /* translators: %s: amount */
                    __('The refund of %s has reached the payer.', 'pixgate-for-woocommerce'),
                    wp_strip_all_tags(wc_price($one['amount'])),
                ));
            } elseif ($one['status'] === 'ERROR') {
                self::failed($order, $refund, $one['failureReason'] ?? '');
            }
            return;
        }
    }

    /** Nothing went back to the payer: the order must not say so. */
    private static function failed(\WC_Order $order, \WC_Order_Refund $refund, string $reason): void
    {
        $order->add_order_note(sprintf(
            /* translators: 1: amount, 2: reason */
            __('The refund of %1$s was not made: %2$s. It was taken off the order.', 'pixgate-for-woocommerce'),
            wp_strip_all_tags(wc_price($refund->get_amount())),
            $reason,
        ));
        $refund->delete(true);
    }
}
