<?php

declare(strict_types=1);

namespace Pixgate;

/** Verification of deliveries, and of payers who come back. */
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

    /**
     * Checks the address with which a payer came back to `returnUrl`, and gives its `transaction` and `status`. It shows the payer
     * the right page; deliver the order on `payment_completed`, which comes also when the payer does not come back.
     *
     *     $returned = Webhook::verifyReturn($_SERVER['REQUEST_URI'], $secret);
     *
     * @param string $url the address of the request, whole or from its path on
     * @param string|list<string> $secret of the checkout settings, `chksec_…`; several while it is being replaced
     * @param float $tolerance how long ago the payer may have left the page, seconds
     * @param ?float $now the present, seconds since the Unix epoch
     * @return array{transaction: string, status: string}
     * @throws WebhookVerificationError no secret fits, or the payer left the page too long ago
     */
    public static function verifyReturn(
        string $url,
        string|array $secret,
        float $tolerance = 300.0,
        ?float $now = null,
    ): array {
        $secrets = (array) $secret;
        if ($secrets === []) {
            throw new \InvalidArgumentException('verifyReturn needs a secret');
        }
        $query = self::queryOf($url);
        $read = function (string $name) use ($query): string {
            $values = $query[$name] ?? [];
            return count($values) === 1 && $values[0] !== ''
                ? $values[0]
                : throw new WebhookVerificationError("the parameter $name is missing, or there more than once");
        };
        [$transaction, $status, $timestamp] = [$read('transaction'), $read('status'), $read('timestamp')];
        $seconds = preg_match('/^[0-9]{1,12}$/D', $timestamp) === 1 ? (float) $timestamp : NAN;
        if (!(abs(($now ?? microtime(true)) - $seconds) <= $tolerance)) {
            throw new WebhookVerificationError('the payer left the page too long ago, or one of the clocks is wrong');
        }
        $isMac = fn (string $one) => preg_match('/^[0-9a-f]{64}$/D', $one) === 1;
        $signatures = array_slice(array_filter(explode(',', $read('signature')), $isMac), 0, 2);
        if (!self::fits(array_map('hex2bin', $signatures), "return.$transaction.$status.$timestamp", $secrets)) {
            throw new WebhookVerificationError('the signature does not fit');
        }
        return ['transaction' => $transaction, 'status' => $status];
    }

    /**
     * Not by `parse_str`, which keeps only the last of two values.
     *
     * @return array<string, list<string>>
     */
    private static function queryOf(string $url): array
    {
        $values = [];
        $query = explode('?', explode('#', $url, 2)[0], 2)[1] ?? '';
        foreach (explode('&', $query) as $pair) {
            [$name, $value] = array_map('urldecode', explode('=', $pair, 2)) + ['', ''];
            $values[$name][] = $value;
        }
        return $values;
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
