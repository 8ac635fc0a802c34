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
        try {
            // Of another system with the same credential, or of an order that was deleted: none.
            return self::sync(is_array($event['data'] ?? null) ? $event['data'] : []) ? 204 : 503;
        } catch (PixgateError $error) {
            wc_get_logger()->warning($error->getMessage(), ['source' => METHOD]);
            return 503;
        }
    }

    /**
     * By the reference in it, and by any id in it that is a charge of ours: of the payment, or of the payment that a refund is of. The
     * customer may have chosen another method since; a copy of the order may have its id.
     */
    private static function sync(array $data): bool
    {
        $reference = $data['externalReference'] ?? null;
        $named = is_string($reference) ? Charges::orderIdIn($reference) : null;
        if ($named !== null) {
            $charge = $data['transactionId'] ?? null;
            return Sync::order($named, is_string($charge) ? $charge : null);
        }
        foreach (['originalTransactionId', 'transactionId', 'id', 'objectId'] as $name) {
            if (is_string($data[$name] ?? null) && $data[$name] !== '') {
                $orders = wc_get_orders(['limit' => 5, 'return' => 'ids', 'type' => 'shop_order', 'transaction_id' => $data[$name]]);
                if ($orders !== []) {
                    $done = array_map(static fn ($id): bool => Sync::order((int) $id), $orders);
                    return !in_array(false, $done, true);
                }
            }
        }
        return true;
    }
}
