<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\ApiError;
use Pixgate\CallOptions;
use Pixgate\Client;
use Pixgate\IdempotencyKeyReusedError;
use Pixgate\PixgateError;
use Pixgate\RefundAlreadyExistsError;

/** Refunds of an order, whole and in part. */
final class Refunds
{
    /** On the refund that WooCommerce has made: 'unknown', 'sent', 'done', or 'person' where only a person can find out. */
    public const STATE = '_pixgate_refund';
    /** On the refund, before it is sent: when, and with which key, charge and body. A repetition is the same to the byte. */
    public const ATTEMPT = '_pixgate_refund_attempt';
    /** On the refund: which one of the gateway's it is. */
    public const REFUND_ID = '_pixgate_refund_id';
    /** On the order, while the outcome of a refund is open, so that the poll finds it. */
    public const OPEN = '_pixgate_refund_open';
    /** Answers after which the refund may have been made all the same, beside 5xx. */
    private const UNKNOWN = [401, 403, 408, 409, 429];
    /** The gateway forgets a key after 24 hours: what is sent again after that is made again. */
    private const REPEATED_FOR = 20 * HOUR_IN_SECONDS;
    /** Seconds by which the clocks of shop and gateway may differ. */
    private const SKEW = 600;

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
            return self::refused(__('The order has no refund with this amount.', 'pixgate-for-woocommerce'));
        }
        try {
            $client = Settings::client();
            $refusal = self::check($order, $refund, $client);
        } catch (PixgateError $error) {
            // Nothing has been sent yet.
            return self::refused($error->getMessage());
        }
        if ($refusal !== null) {
            return self::refused($refusal);
        }
        $body = ['amount' => Charges::centavos($refund->get_amount()) / 100] + ($reason === '' ? [] : ['reason' => mb_substr($reason, 0, 140)]);
        // In base64: WordPress takes backslashes out of what it stores.
        $refund->update_meta_data(self::ATTEMPT, [
            'at' => time(),
            'key' => Charges::referenceOf($order) . 'refund-' . $refund->get_id(),
            'charge' => $order->get_transaction_id(),
            'body' => base64_encode((string) wp_json_encode($body)),
        ]);
        $refund->update_meta_data(self::STATE, 'unknown');
        $refund->save();
        $order->update_meta_data(self::OPEN, 'yes');
        $order->update_meta_data(Poll::ASKED, time());
        $order->save();
        try {
            self::request($refund, $client);
            return true;
        } catch (ApiError $error) {
            if (self::isRefusal($error)) {
                return self::refused($error->getMessage());
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
            if ($refund->get_meta(self::STATE) === 'unknown') {
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

    /**
     * Brings into the order what went back in Pixgate: each refund that has reached the payer, and what a payer's bank took back, is a
     * refund of the order, or becomes one.
     *
     * @param ?\WC_Order_Refund $except is about to be sent, so it is none of them; the order gets none beside it
     * @return bool whether one was made that the order had not
     */
    public static function import(\WC_Order $order, array $transaction, Client $client, ?\WC_Order_Refund $except = null): bool
    {
        $isPaidWith = $order->get_meta(Charges::PAID) === $transaction['id'];
        if (!$isPaidWith || Charges::centavos($transaction['returnedAmount'] ?? 0) === 0) {
            return false;
        }
        $isNew = false;
        $all = wc_get_order($order->get_id())->get_refunds();
        $known = array_map(static fn ($one) => $one->get_meta(self::REFUND_ID), $all);
        $returned = [...$client->refunds->list($transaction['id'])->toArray(100), ...Disputes::taken($transaction, $client)];
        foreach ($returned as $made) {
            if ($made['status'] !== 'CONFIRMED' || in_array($made['refundTransactionId'], $known, true)) {
                continue;
            }
            $refund = self::unboundLike($made, $all, $except);
            if ($refund === null) {
                $refund = self::create($order, $made, $except);
                $isNew = true;
            }
            if ($refund !== null) {
                $refund->update_meta_data(self::REFUND_ID, $made['refundTransactionId']);
                $refund->update_meta_data(self::STATE, 'done');
                $refund->save();
                $all = array_filter($all, static fn ($one): bool => $one->get_id() !== $refund->get_id());
            }
        }
        return $isNew;
    }

    private static function refused(string $why): \WP_Error
    {
        return new \WP_Error('pixgate', $why);
    }

    private static function isRefusal(ApiError $error): bool
    {
        return $error->status < 500 && !in_array($error->status, self::UNKNOWN, true);
    }

    /** Why the refund must not be sent, by what the gateway knows of the payment; null when it can be. */
    private static function check(\WC_Order $order, \WC_Order_Refund $refund, Client $client): ?string
    {
        $id = $order->get_transaction_id();
        $transaction = $id === '' ? null : $client->transactions->get($id);
        if ($transaction === null || $transaction['status'] !== 'completed' || !Charges::isOf($order, $transaction)) {
            return __('The order was not paid by a Pix of its own.', 'pixgate-for-woocommerce');
        }
        if (self::import($order, $transaction, $client, $refund)) {
            $order->update_meta_data(Poll::ASKED, 0);
            $order->save_meta_data();
            return __('A refund was made in Pixgate meanwhile. It will be in the order within minutes: look then whether another one is meant.', 'pixgate-for-woocommerce');
        }
        $left = Charges::centavos($transaction['amount']) - Charges::centavos($transaction['returnedAmount'] ?? 0);
        if (Charges::centavos($refund->get_amount()) > $left) {
            /* translators: %s: amount */
            return sprintf(__('Only %s of the Pix is left to give back.', 'pixgate-for-woocommerce'), self::inReais($left / 100));
        }
        return null;
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

    private static function request(\WC_Order_Refund $refund, Client $client): void
    {
        $attempt = $refund->get_meta(self::ATTEMPT);
        $body = json_decode((string) base64_decode($attempt['body']), true);
        self::bind($refund, $client->refunds->create($attempt['charge'], $body, new CallOptions(idempotencyKey: $attempt['key'])));
    }

    private static function bind(\WC_Order_Refund $refund, array $made): void
    {
        $refund->update_meta_data(self::REFUND_ID, $made['refundTransactionId']);
        $refund->update_meta_data(self::STATE, 'sent');
        $refund->save();
    }

    private static function repeat(\WC_Order $order, \WC_Order_Refund $refund, Client $client): void
    {
        $attempt = $refund->get_meta(self::ATTEMPT);
        $isRepeated = time() - $attempt['at'] < self::REPEATED_FOR;
        $error = null;
        if ($isRepeated) {
            try {
                self::request($refund, $client);
                return;
            } catch (ApiError $error) {
                if (!self::isRefusal($error)) {
                    return;
                }
            }
        }
        $made = self::find($order, $refund, $client);
        if ($made !== null) {
            self::bind($refund, $made);
        } elseif (!$isRepeated) {
            $refund->update_meta_data(self::STATE, 'person');
            $refund->save();
            $order->add_order_note(sprintf(
                /* translators: %s: amount */
                __('It is not known whether the refund of %s was made, and it is not repeated any more: look in Pixgate.', 'pixgate-for-woocommerce'),
                self::inReais($refund->get_amount()),
            ));
        } elseif (!$error instanceof RefundAlreadyExistsError && !$error instanceof IdempotencyKeyReusedError) {
            self::failed($order, $refund, $error->getMessage());
        }
        // Else another refund is under way, or the key is another one's: that says nothing of this one.
    }

    /** The refund at the gateway that this one has become, by amount and time: no other of the order's is it. Rather one that was made. */
    private static function find(\WC_Order $order, \WC_Order_Refund $refund, Client $client): ?array
    {
        $known = array_map(static fn ($one) => $one->get_meta(self::REFUND_ID), $order->get_refunds());
        $found = null;
        foreach ($client->refunds->list($refund->get_meta(self::ATTEMPT)['charge'])->toArray(100) as $made) {
            $isFree = !in_array($made['refundTransactionId'], $known, true);
            if ($isFree && self::isLike($refund, $made) && ($found === null || $made['status'] !== 'ERROR')) {
                $found = $made;
            }
        }
        return $found;
    }

    private static function isLike(\WC_Order_Refund $refund, array $made): bool
    {
        $attempt = $refund->get_meta(self::ATTEMPT);
        $isInTime = !is_array($attempt) || strtotime($made['createdAt']) >= $attempt['at'] - self::SKEW;
        return $isInTime && Charges::centavos($refund->get_amount()) === Charges::centavos($made['amount']);
    }

    /** A refund of the order without one at the gateway: one that a person has entered by hand after it was made there. */
    private static function unboundLike(array $made, array $refunds, ?\WC_Order_Refund $except): ?\WC_Order_Refund
    {
        foreach ($refunds as $refund) {
            $isFree = $refund->get_meta(self::REFUND_ID) === '' && $refund->get_id() !== $except?->get_id();
            if ($isFree && self::isLike($refund, $made)) {
                return $refund;
            }
        }
        return null;
    }

    /** Where the order has no room for it the note alone says so: a refund of another amount may have been entered for it. */
    private static function create(\WC_Order $order, array $made, ?\WC_Order_Refund $except): ?\WC_Order_Refund
    {
        $of = ['order_id' => $order->get_id(), 'amount' => wc_format_decimal($made['amount'], 2), 'reason' => $made['reason'] ?? ''];
        $refund = $except === null ? wc_create_refund($of) : null;
        /* translators: 1: amount, 2: id of the refund */
        $text = $made['text'] ?? __('%1$s was given back in Pixgate (%2$s).', 'pixgate-for-woocommerce');
        Sync::noteOnce($order, $made['refundTransactionId'], sprintf($text, self::inReais($made['amount']), $made['refundTransactionId']));
        return $refund instanceof \WC_Order_Refund ? $refund : null;
    }

    private static function read(\WC_Order $order, \WC_Order_Refund $refund, Client $client): void
    {
        $id = $refund->get_meta(self::REFUND_ID);
        foreach ($client->refunds->list($refund->get_meta(self::ATTEMPT)['charge']) as $one) {
            if ($one['refundTransactionId'] !== $id) {
                continue;
            }
            if ($one['status'] === 'CONFIRMED') {
                $refund->update_meta_data(self::STATE, 'done');
                $refund->save();
                $order->add_order_note(sprintf(
                    /* translators: %s: amount */
                    __('The refund of %s has reached the payer.', 'pixgate-for-woocommerce'),
                    self::inReais($one['amount']),
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
            self::inReais($refund->get_amount()),
            $reason,
        ));
        $refund->delete(true);
    }

    private static function inReais(string|float|int $amount): string
    {
        return wp_strip_all_tags(wc_price((float) $amount, ['currency' => 'BRL']));
    }
}
