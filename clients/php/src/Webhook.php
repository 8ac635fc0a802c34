<?php

declare(strict_types=1);

namespace Pixgate;

/** Verification of deliveries. */
final class Webhook
{
    /**
     * Checks the signature of a delivery and gives its event.
     *
     *     $event = Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret);
     *
     * @param string $rawBody the body as it arrived; one that was parsed and written again has other bytes
     * @param array<string, mixed> $headers by name; `$_SERVER` and the lists of PSR-7 are understood too
     * @param string|list<string> $secret of the endpoint, `whsec_…`; several while a secret is being replaced
     * @param float $tolerance how old or how far ahead a delivery may be, seconds
     * @param string $scheme `standard`: Standard Webhooks, which signs the time too; `service`: `X-Service-Signature`, over
     *     the body alone
     * @param ?float $now the present, seconds since the Unix epoch
     * @return array<string, mixed>
     * @throws WebhookVerificationError no secret fits, or the delivery is too old
     */
    public static function verify(
        string $rawBody,
        array $headers,
        string|array $secret,
        float $tolerance = 300.0,
        string $scheme = 'standard',
        ?float $now = null,
    ): array {
        $secrets = (array) $secret;
        if ($secrets === [] || !in_array($scheme, ['standard', 'service'], true)) {
            throw new \InvalidArgumentException('verify needs a secret, and the scheme "standard" or "service"');
        }
        $given = self::byName($headers);
        [$seconds, $signed, $signatures, $keys] = $scheme === 'standard'
            ? self::standard($rawBody, $given, $secrets)
            : self::service($rawBody, $given, $secrets);
        if (!(abs(($now ?? microtime(true)) - $seconds) <= $tolerance)) {
            throw new WebhookVerificationError('the delivery is too old, or has no time');
        }
        if (!self::fits($signatures, $signed, $keys)) {
            throw new WebhookVerificationError('the signature does not fit');
        }
        $event = json_decode($rawBody, true);
        return is_array($event) ? $event : throw new WebhookVerificationError('the body is not JSON');
    }

    /** @return array{float, string, list<string>, list<string>} time, what is signed, signatures, keys */
    private static function standard(string $body, array $given, array $secrets): array
    {
        [$id, $time] = [self::read($given, 'webhook-id'), self::read($given, 'webhook-timestamp')];
        $parts = explode(' ', self::read($given, 'webhook-signature'));
        $signatures = array_filter($parts, fn (string $part) => str_starts_with($part, 'v1,'));
        return [
            self::time($time),
            "$id.$time.$body",
            array_map(fn (string $part) => (string) base64_decode(substr($part, 3), true), $signatures),
            array_map(fn (string $key) => (string) base64_decode(preg_replace('/^whsec_/', '', $key), true), $secrets),
        ];
    }

    /** @return array{float, string, list<string>, list<string>} */
    private static function service(string $body, array $given, array $secrets): array
    {
        $sent = [self::read($given, 'x-service-signature'), $given['x-service-signature-next'] ?? ''];
        $signatures = array_filter($sent, fn (string $part) => preg_match('/^sha256=[0-9a-f]{64}$/D', $part) === 1);
        return [
            self::time(self::read($given, 'x-service-timestamp')) / 1_000,
            $body,
            array_map(fn (string $part) => hex2bin(substr($part, 7)), $signatures),
            $secrets,
        ];
    }

    /** Compares every signature with every secret, each in constant time. */
    private static function fits(array $signatures, string $signed, array $secrets): bool
    {
        $fits = false;
        foreach ($secrets as $secret) {
            // A secret that could not be decoded is empty and fits nothing.
            if ($secret === '') {
                continue;
            }
            foreach ($signatures as $signature) {
                if (hash_equals(hash_hmac('sha256', $signed, $secret, true), $signature)) {
                    $fits = true;
                }
            }
        }
        return $fits;
    }

    /** @return array<string, string> by lower-case name */
    private static function byName(array $headers): array
    {
        $given = [];
        foreach ($headers as $name => $value) {
            $plain = preg_replace('/^http-/', '', str_replace('_', '-', strtolower((string) $name)));
            $first = is_array($value) ? ($value[0] ?? '') : $value;
            if (is_string($first)) {
                $given[$plain] = $first;
            }
        }
        return $given;
    }

    private static function read(array $given, string $name): string
    {
        $value = $given[$name] ?? '';
        return $value !== '' ? $value : throw new WebhookVerificationError("the header $name is missing");
    }

    private static function time(string $text): float
    {
        return preg_match('/^\d{1,15}$/D', $text) === 1 ? (float) $text : NAN;
    }
}
