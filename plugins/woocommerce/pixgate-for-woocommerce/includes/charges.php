<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\CallOptions;

/** The charge of an order. What an order knows of it is in its metadata, which is the same with and without HPOS. */
final class Charges
{
    /** Every charge that the order has had, oldest first: a customer may pay an earlier code. */
    public const IDS = '_pixgate_charges';
    /** Key and amount of the newest attempt, stored before it is sent. */
    private const ATTEMPT = '_pixgate_attempt';
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
        $centavos = self::centavos($order->get_total());
        $attempt = $order->get_meta(self::ATTEMPT);
        $known = is_array($attempt) && $attempt['centavos'] === $centavos;
        if ($known && isset($attempt['id']) && self::secondsLeft($order) > 60) {
            return;
        }
        if (!$known || isset($attempt['id'])) {
            $attempt = [
                'number' => (is_array($attempt) ? $attempt['number'] : 0) + 1,
                'centavos' => $centavos,
                'expiresIn' => Settings::expiresIn(),
            ];
            $order->update_meta_data(self::ATTEMPT, $attempt);
            $order->save();
        }
        $key = sprintf('wc-%s-%d-%d', Settings::shop(), $order->get_id(), $attempt['number']);
        $charge = Settings::client()->charges->create(self::bodyOf($order, $attempt, $key), new CallOptions(idempotencyKey: $key));
        $attempt['id'] = $charge['id'];
        $order->update_meta_data(self::ATTEMPT, $attempt);
        $order->update_meta_data(self::IDS, [...self::idsOf($order), $charge['id']]);
        $order->update_meta_data(self::CODE, $charge['pixCopyPaste']);
        $order->update_meta_data(self::IMAGE, $charge['qrCodeBase64'] ?? '');
        $order->update_meta_data(self::EXPIRES, (int) strtotime($charge['expiresAt']));
        $order->set_transaction_id($charge['id']);
        $order->save();
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
