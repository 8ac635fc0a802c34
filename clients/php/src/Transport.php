<?php

declare(strict_types=1);

namespace Pixgate;

/**
 * Sends requests: token, Idempotency-Key, time-outs, retries, errors. One connection is kept for all of them.
 *
 * @internal
 */
final class Transport
{
    private \CurlHandle $curl;

    /** @param array<string, string> $headers sent with every request */
    public function __construct(
        private readonly string $baseUrl,
        private readonly ?Tokens $tokens,
        private readonly float $timeout,
        private readonly int $maxRetries,
        private readonly array $headers = [],
    ) {
        if (preg_match('~^https?://[^/?#\s]+(/[^?#\s]*)?$~D', $baseUrl) !== 1) {
            throw new InvalidRequestError("baseUrl must be an address with https:// or http://, got \"$baseUrl\"");
        }
        $this->curl = curl_init();
    }

    /** The same gateway and tokens, with further headers. */
    public function with(array $headers): self
    {
        return new self($this->baseUrl, $this->tokens, $this->timeout, $this->maxRetries, $headers + $this->headers);
    }

    /** A list of an operation, read page by page. */
    public function list(string $path, array $query, string $items, ?CallOptions $options): Listing
    {
        $fetch = fn (array $asked): array => $this->send('GET', $path, query: $asked, options: $options);
        return new Listing($fetch, $query, $items);
    }

    /**
     * Sends a request until it has a definite answer, within the limit of retries.
     *
     * @param array<string, mixed>|string|null $body as JSON; a string is a file, and sent as it is
     * @param ?string $contentType media type of a file
     * @param ?string $accept media type whose bytes are then the answer; null: JSON, which is parsed
     * @param ?string $shownOnce a field that the answer shows this once
     * @param bool $withoutKey a POST that acts on nothing: it may be repeated, and needs no key
     * @return ($accept is null ? array<string, mixed>|null : string)
     * @throws ApiError the gateway answered with an error
     * @throws ConnectionError no answer arrived
     * @throws InvalidRequestError it cannot be sent as it is: nothing was
     */
    public function send(
        string $method,
        string $path,
        array|string|null $body = null,
        array $query = [],
        ?string $shownOnce = null,
        ?string $accept = null,
        ?CallOptions $options = null,
        bool $withoutKey = false,
        ?string $contentType = null,
    ): array|string|null {
        $request = new Request(
            $method,
            $path,
            $this->baseUrl . $path . self::queryOf($query),
            is_string($body) ? $body : self::jsonOf($method, $path, $body),
            $accept,
            $withoutKey ? null : self::keyOf($method, $path, $options?->idempotencyKey),
            $options?->timeout ?? $this->timeout,
            $contentType ?? 'application/json',
        );
        $repeatable = in_array($method, ['GET', 'PUT', 'POST'], true);
        $limit = $options?->maxRetries ?? $this->maxRetries;
        $renewed = false;
        // Whether an attempt may have been executed without our having its answer.
        $isUnknown = false;
        $retries = 0;
        for ($attempts = 1; ; $attempts++) {
            try {
                $outcome = $this->attempt($request, $attempts);
            } catch (\Throwable $error) {
                throw $isUnknown ? self::unknown($request, $attempts - 1, $error) : self::ofCall($error, $request->key);
            }
            if (!$outcome instanceof PixgateError) {
                return self::withSecret($request, $shownOnce, $outcome);
            }
            $answer = $outcome instanceof ApiError ? $outcome : null;
            if ($answer?->status === 401 && $this->tokens?->renew()) {
                // A token that ended while the request was on its way is replaced again, any other once.
                if (!$renewed) {
                    $renewed = true;
                    continue;
                }
                if ($answer->errorCode === 'TOKEN_EXPIRED' && $retries < $limit) {
                    $retries++;
                    continue;
                }
            }
            // Not lcg_value, which PHP 8.4 deprecates.
            $random = random_int(0, 999_999) / 1_000_000;
            $pause = $retries < $limit ? Retry::pause($answer, $repeatable, $retries, $random) : null;
            if ($pause === null) {
                throw $isUnknown && Retry::isTurnedAway($answer) ? self::unknown($request, $attempts, $outcome) : $outcome;
            }
            $isUnknown = $isUnknown || ($request->key !== null && !Retry::isTurnedAway($answer));
            $retries++;
            usleep((int) ($pause * 1_000_000));
        }
    }

    /** Sends the request once: what it answers, or why it did not. */
    private function attempt(Request $request, int $attempts): array|string|null|PixgateError
    {
        [$content, $status, $received] = $this->exchange($request);
        $name = "$request->method $request->path";
        if ($content === false) {
            return $status === CURLE_OPERATION_TIMEDOUT
                ? new TimeoutError("$name had no answer within $request->timeout s", $attempts, $request->key)
                : new ConnectionError("$name had no answer: " . curl_error($this->curl), $attempts, $request->key);
        }
        if ($status < 200 || $status >= 300) {
            return self::errorOf($status, $received, $content, $request->key);
        }
        if ($request->accept !== null) {
            return $content;
        }
        $value = $content === '' ? null : json_decode($content, true);
        return $content !== '' && !is_array($value)
            ? new ConnectionError("$name had no answer in JSON", $attempts, $request->key)
            : $value;
    }

    /** @return array{string|false, int, array<string, string>} body, status and headers; without an answer curl's error */
    private function exchange(Request $request): array
    {
        $received = [];
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $this->headersOf($request),
            CURLOPT_RETURNTRANSFER => true,
            // A redirect would repeat the token and the body elsewhere.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_ENCODING => '',
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($request->timeout * 1_000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                // The headers of an informational answer come before those of the answer.
                if (str_starts_with($line, 'HTTP/')) {
                    $received = [];
                }
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $request->body);
        }
        $content = curl_exec($this->curl);
        $status = $content === false ? curl_errno($this->curl) : curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE);
        return [$content, $status, $received];
    }

    /** @return list<string> */
    private function headersOf(Request $request): array
    {
        $headers = $this->headers + ['Accept' => $request->accept ?? 'application/json', 'User-Agent' => 'pixgate-php/0.1.0'];
        // Without a value curl leaves out what it would add by itself: a pause for "100 Continue", a form's type.
        $lines = ['Expect:', $request->body === null ? 'Content-Type:' : "Content-Type: $request->contentType"];
        if ($request->key !== null) {
            $headers['Idempotency-Key'] = $request->key;
        }
        if ($this->tokens !== null) {
            $headers['Authorization'] = 'Bearer ' . $this->tokens->get();
        }
        foreach ($headers as $name => $value) {
            if (preg_match('/^[\x20-\x7e]+$/D', $value) !== 1) {
                throw new InvalidRequestError("the header $name must be visible ASCII characters");
            }
            $lines[] = "$name: $value";
        }
        return $lines;
    }

    private static function queryOf(array $query): string
    {
        $text = array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $query);
        $encoded = http_build_query($text, '', '&', PHP_QUERY_RFC3986);
        return $encoded === '' ? '' : "?$encoded";
    }

    private static function jsonOf(string $method, string $path, ?array $body): ?string
    {
        if ($body === null) {
            return null;
        }
        // PHP's setting may write 25.9 as 25.899999999999999. Where a host forbids it, the setting stays as it is.
        $before = function_exists('ini_set') ? ini_set('serialize_precision', '-1') : false;
        try {
            // An empty array is an object here: no body of the API is a list.
            return $body === [] ? '{}' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $cause) {
            throw new InvalidRequestError("$method $path cannot be sent: {$cause->getMessage()}", 0, $cause);
        } finally {
            if ($before !== false) {
                ini_set('serialize_precision', $before);
            }
        }
    }

    /** The key of a POST, given or made. */
    private static function keyOf(string $method, string $path, ?string $given): ?string
    {
        if ($method !== 'POST') {
            return null;
        }
        if ($given === null) {
            return bin2hex(random_bytes(16));
        }
        return preg_match('/^[\x21-\x7e]{8,255}$/D', $given) === 1
            ? $given
            : throw new InvalidRequestError("$method $path cannot be sent: a key has 8 to 255 visible ASCII characters");
    }

    /** What ends a call after an attempt without an answer: the outcome is unknown, whatever came then. */
    private static function unknown(Request $request, int $attempts, \Throwable $cause): ConnectionError
    {
        $message = "$request->method $request->path had no answer, and then: {$cause->getMessage()}";
        return new ConnectionError($message, $attempts, $request->key, $cause);
    }

    /** The error of a login as one of the call that needed it: nothing of the call was sent. */
    private static function ofCall(\Throwable $error, ?string $key): \Throwable
    {
        return match (true) {
            $error instanceof ApiError => new ($error::class)(
                $error->getMessage(),
                $error->status,
                $error->errorCode,
                $error->details,
                $error->traceId,
                $error->retryAfter,
                $key,
            ),
            $error instanceof ConnectionError => new ($error::class)($error->getMessage(), $error->attempts, $key, $error),
            default => $error,
        };
    }

    private static function withSecret(Request $request, ?string $shownOnce, array|string|null $answer): array|string|null
    {
        if ($shownOnce === null || array_key_exists($shownOnce, (array) $answer)) {
            return $answer;
        }
        $message = "$request->method $request->path was done before: its answer shows `$shownOnce` no more.";
        throw new SecretNotShownError($message, (array) $answer);
    }

    /** Reads an error answer; what stands between the gateway and us may answer anything. */
    private static function errorOf(int $status, array $headers, string $content, ?string $key): ApiError
    {
        $body = json_decode($content, true);
        $body = is_array($body) ? $body : [];
        $details = is_array($body['details'] ?? null) ? $body['details'] : [];
        $code = is_string($details['code'] ?? null) ? $details['code'] : "HTTP_$status";
        $to = isset($headers['location']) ? " to {$headers['location']}" : '';
        $otherwise = $status >= 300 && $status < 400
            ? "The server redirects$to: set baseUrl to where the gateway is."
            : "The server answered $status.";
        $class = ApiError::classOf($status, $code);
        return new $class(
            is_string($body['message'] ?? null) ? $body['message'] : $otherwise,
            $status,
            $code,
            $details,
            is_string($body['traceId'] ?? null) ? $body['traceId'] : ($headers['x-request-id'] ?? null),
            Retry::readRetryAfter($headers['retry-after'] ?? null),
            $key,
        );
    }
}

/**
 * One request, as it is sent in each attempt.
 *
 * @internal
 */
final class Request
{
    /** @param float $timeout of each attempt, seconds */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly string $url,
        public readonly ?string $body,
        public readonly ?string $accept,
        public readonly ?string $key,
        public readonly float $timeout,
        public readonly string $contentType = 'application/json',
    ) {
    }
}
