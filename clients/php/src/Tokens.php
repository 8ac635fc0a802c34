<?php

declare(strict_types=1);

namespace Pixgate;

/**
 * The token of `POST /auth`, renewed before it ends and after a 401; or one that the caller gives.
 *
 * @internal
 */
final class Tokens
{
    /** Seconds. A token this close to its end is renewed before it is used: a request takes up to its time-out. */
    private const RENEW_BEFORE_END = 30.0;
    private ?string $token = null;
    private float $renewAt = 0.0;

    /** @param \Closure(): array{access_token: string, expires_in: ?int} $login `expires_in` null: asked for each time */
    public function __construct(private readonly \Closure $login, private readonly bool $renewable = true)
    {
    }

    public function get(): string
    {
        $now = microtime(true);
        if ($this->token === null || $now >= $this->renewAt) {
            $answer = ($this->login)();
            $this->token = $answer['access_token'];
            $seconds = (float) ($answer['expires_in'] ?? 0);
            // A short token is used for half of its time at least.
            $this->renewAt = $now + $seconds - min(self::RENEW_BEFORE_END, $seconds / 2);
        }
        return $this->token;
    }

    /** Drops a token that the gateway refused. False: there is no other to be had. */
    public function renew(): bool
    {
        $this->token = null;
        return $this->renewable;
    }
}
