<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\CallOptions;
use Pixgate\InvalidRequestError;

/** The charge of an order. What an order knows of it is in its metadata, which is the same with and without HPOS. */
final class Charges
{
    /** Every charge that the order has had, oldest first: a customer may pay an earlier code. */
    public const IDS = '_pixgate_charges';
    /** Number, amount and order of the newest attempt, stored before it is sent. */
    public const ATTEMPT = '_pixgate_attempt';
    /** The charge that the plugin has paid the order with; not there where a person has marked it as paid. */
    public const PAID = '_pixgate_paid';
    public const CODE = '_pixgate_code';
    public const IMAGE = '_pixgate_image';
    public const EXPIRES = '_pixgate_expires';

    /**
     * Gives the order a code that can be paid: the one that it has, or a new one.
     *
     * The key is stored before the call. When no answer arrives the next attempt repeats the same call, and the gateway answers
     * with the charge that the first one has made.
     *
     * @throws \Pixgate\PixgateError
     */
    public static function issue(\WC_Order $order): void
    {
        if (!self::isInReais($order)) {
            throw new InvalidRequestError('A Pix is in BRL; the order is in ' . $order->get_currency() . '.');
        }
        self::dropCopied($order);
        $centavos = self::centavos($order->get_total());
        $attempt = $order->get_meta(self::ATTEMPT);
        $known = is_array($attempt) && $attempt['centavos'] === $centavos;
        if ($known && isset($attempt['id']) && self::secondsLeft($order) > 60) {
            return;
        }
        if (!$known || isset($attempt['id'])) {
            $attempt = [
                'of' => self::referenceOf($order),
                'number' => (is_array($attempt) ? $attempt['number'] : 0) + 1,
                'centavos' => $centavos,
                'expiresIn' => Settings::expiresIn(),
            ];
            $order->update_meta_data(self::ATTEMPT, $attempt);
            $order->save();
        }
        $key = self::referenceOf($order) . $attempt['number'];
        $charge = Settings::client()->charges->create(self::bodyOf($order, $attempt, $key), new CallOptions(idempotencyKey: $key));
        if (!self::isOf($order, $charge)) {
            throw new InvalidRequestError("The gateway answered with the charge of another order ($charge[id]).");
        }
        $attempt['id'] = $charge['id'];
        $order->update_meta_data(self::ATTEMPT, $attempt);
        $order->update_meta_data(self::IDS, [...self::idsOf($order), $charge['id']]);
        $order->update_meta_data(self::CODE, $charge['pixCopyPaste']);
        $order->update_meta_data(self::IMAGE, $charge['qrCodeBase64'] ?? '');
        $order->update_meta_data(self::EXPIRES, (int) strtotime($charge['expiresAt']));
        $order->update_meta_data(Poll::ASKED, time());
        $order->set_transaction_id($charge['id']);
        $order->save();
    }

    public static function isInReais(\WC_Order $order): bool
    {
        return $order->get_currency() === 'BRL';
    }

    /**
     * Begins keys and references of an order. Its number alone does not name it: a shop that was restored from a backup gives a number
     * a second time. The key that WooCommerce made for it by chance does; it stays secret, because it opens the order's page.
     */
    public static function referenceOf(\WC_Order $order): string
    {
        $secret = substr(hash('sha256', $order->get_order_key() . ' ' . $order->get_id()), 0, 16);
        return sprintf('wc-%s-%s-%d-', Settings::shop(), $secret, $order->get_id());
    }

    /** The number of the order that a reference names, or null where it is none of this shop's. */
    public static function orderIdIn(string $reference): ?int
    {
        $shop = Settings::shop();
        return preg_match("/^wc-$shop-[0-9a-f]{16}-(\\d+)-\\d+$/D", $reference, $match) === 1 ? (int) $match[1] : null;
    }

    /** Whether a transaction was issued for this order, and for no other. */
    public static function isOf(\WC_Order $order, array $transaction): bool
    {
        return str_starts_with((string) ($transaction['externalReference'] ?? ''), self::referenceOf($order));
    }

    /** Whether the order's metadata are its own: a plugin that duplicates an order copies them with it. */
    public static function areOwn(\WC_Order $order): bool
    {
        return ($order->get_meta(self::ATTEMPT)['of'] ?? null) === self::referenceOf($order);
    }

    /** Gives an order a charge that was issued for it, and that it does not know. */
    public static function adopt(\WC_Order $order, array $transaction): void
    {
        if (!self::isOf($order, $transaction)) {
            return;
        }
        $number = (int) substr($transaction['externalReference'], strlen(self::referenceOf($order)));
        $attempt = $order->get_meta(self::ATTEMPT);
        if (!is_array($attempt) || $attempt['number'] < $number) {
            $of = ['of' => self::referenceOf($order), 'number' => $number, 'id' => $transaction['id']];
            $order->update_meta_data(self::ATTEMPT, $of + ['centavos' => self::centavos($transaction['amount'])]);
        }
        $order->update_meta_data(self::IDS, [...self::idsOf($order), $transaction['id']]);
        $order->save();
    }

    /** Takes off what was copied from another order, which that order's Pix would otherwise pay. */
    public static function dropCopied(\WC_Order $order): void
    {
        if (self::areOwn($order) || ($order->get_meta(self::ATTEMPT) === '' && self::idsOf($order) === [])) {
            return;
        }
        $ids = self::idsOf($order);
        if (in_array($order->get_transaction_id(), $ids, true)) {
            $order->set_transaction_id('');
        }
        foreach ([self::IDS, self::ATTEMPT, self::PAID, self::CODE, self::IMAGE, self::EXPIRES, Sync::NOTED, Poll::ASKED, Refunds::OPEN, Disputes::HELD] as $name) {
            $order->delete_meta_data($name);
        }
        $order->save();
        /* translators: %s: ids of charges */
        $order->add_order_note(sprintf(__('What was copied to this order of the Pix of another one (%s) was taken off it.', 'pixgate-for-woocommerce'), implode(', ', $ids)));
    }

    /** @return list<string> */
    public static function idsOf(\WC_Order $order): array
    {
        $ids = $order->get_meta(self::IDS);
        return is_array($ids) ? array_values($ids) : [];
    }

    public static function secondsLeft(\WC_Order $order): int
    {
        return max(0, (int) $order->get_meta(self::EXPIRES) - time());
    }

    /** WooCommerce's amounts are decimal strings. */
    public static function centavos(string|float|int $amount): int
    {
        return (int) round((float) $amount * 100);
    }

    /** The same at every repetition: of the attempt and of what never changes of an order. */
    private static function bodyOf(\WC_Order $order, array $attempt, string $key): array
    {
        return [
            'amount' => $attempt['centavos'] / 100,
            'description' => sprintf('Pedido %d', $order->get_id()),
            'externalReference' => $key,
            'expiresIn' => $attempt['expiresIn'],
            'metadata' => ['order' => (string) $order->get_id()],
        ];
    }
}
