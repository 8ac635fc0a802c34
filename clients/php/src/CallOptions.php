<?php

declare(strict_types=1);

namespace Pixgate;

/** What may be said of any call. Null: as the client says. */
final class CallOptions
{
    /**
     * @param ?string $idempotencyKey of a POST: 8 to 255 visible ASCII characters; null: made for this call
     * @param ?float $timeout of each attempt, seconds
     * @param ?int $maxRetries how often a failed attempt is repeated
     */
    public function __construct(
        public readonly ?string $idempotencyKey = null,
        public readonly ?float $timeout = null,
        public readonly ?int $maxRetries = null,
    ) {
    }
}
