<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\PixgateError;
use Pixgate\Webhook;
use Pixgate\WebhookVerificationError;

/** Answers the gateway's deliveries. */
final class Receive
{
    /** Bytes; the gateway's largest event is far smaller. */
    private const MAX_BODY = 262_144;

    public static function answer(): never
    {
        $body = (string) file_get_contents('php://input', length: self::MAX_BODY);
        status_header(self::take($body, $_SERVER));
        exit;
    }

    /** @return int the status to answer with. After 503 the gateway sends it again. */
    public static function take(string $body, array $headers): int
    {
        $secrets = Settings::webhookSecrets();
        if ($secrets === []) {
            return 401;
        }
        try {
            $event = Webhook::verify($body, $headers, $secrets);
        } catch (WebhookVerificationError) {
            return 401;
        }
        $orderId = self::orderOf($event['data'] ?? []);
        if ($orderId === null) {
            // Of another system with the same credential, or of an order that was deleted.
            return 204;
        }
        try {
            return Sync::order($orderId) ? 204 : 503;
        } catch (PixgateError $error) {
            wc_get_logger()->warning($error->getMessage(), ['source' => METHOD]);
            return 503;
        }
    }

    /** By any id in it that is a charge of ours: of the payment, or of the payment that a refund is of. */
    private static function orderOf(array $data): ?int
    {
        foreach (['originalTransactionId', 'transactionId', 'id', 'objectId'] as $name) {
            if (!is_string($data[$name] ?? null)) {
                continue;
            }
            $orders = wc_get_orders([
                'limit' => 1,
                'return' => 'ids',
                'payment_method' => METHOD,
                'transaction_id' => $data[$name],
            ]);
            if ($orders !== []) {
                return (int) $orders[0];
            }
        }
        // A code before the order's newest: its reference names the order.
        $reference = $data['externalReference'] ?? '';
        $shop = Settings::shop();
        return is_string($reference) && preg_match("/^wc-$shop-(\\d+)-\\d+$/D", $reference, $match) === 1 ? (int) $match[1] : null;
    }
}
