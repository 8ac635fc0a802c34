<?php

declare(strict_types=1);

namespace Pixgate;

/**
 * When a failed attempt is repeated: the rules of every SDK of Pixgate.
 *
 * @internal
 */
final class Retry
{
    /** Seconds. A longer `Retry-After` is left to the caller: the error carries it. */
    private const LONGEST_RETRY_AFTER = 60.0;
    private const FIRST_PAUSE = 0.25;
    private const LONGEST_PAUSE = 8.0;

    /**
     * Seconds before the next attempt; null: the failure is final.
     *
     * @param ?ApiError $answer null: no whole answer arrived, so that the outcome is unknown
     * @param bool $repeatable the same request twice acts once: a read, a PUT, a POST with its key
     * @param int $retries how many were made already
     * @param float $random at least 0, less than 1
     */
    public static function pause(?ApiError $answer, bool $repeatable, int $retries, float $random): ?float
    {
        if (!self::isRetryable($answer, $repeatable)) {
            return null;
        }
        $asked = $answer?->retryAfter;
        if ($asked !== null) {
            return $asked > self::LONGEST_RETRY_AFTER ? null : $asked + self::FIRST_PAUSE * $random;
        }
        $pause = min(self::LONGEST_PAUSE, self::FIRST_PAUSE * 2 ** $retries);
        // Half of the pause is jitter, so that many clients that failed together do not return together.
        return $pause / 2 + $pause / 2 * $random;
    }

    /** Turned away before the gateway looked at the key: this attempt did nothing, and says nothing of an earlier one. */
    public static function isTurnedAway(?ApiError $answer): bool
    {
        return $answer !== null && (in_array($answer->status, [401, 403, 429], true) || $answer->errorCode === 'OVERLOADED');
    }

    private static function isRetryable(?ApiError $answer, bool $repeatable): bool
    {
        if ($answer === null) {
            return $repeatable;
        }
        // The gateway says of these two that nothing has been done.
        if ($answer->status === 429 || $answer->errorCode === 'OVERLOADED') {
            return true;
        }
        $retryable = $answer->details['retryable'] ?? null;
        if (!$repeatable || $retryable === false) {
            return false;
        }
        return $answer->status >= 500 || $answer->status === 408 || ($answer->status === 409 && $retryable === true);
    }

    /** `Retry-After` in seconds: it is a number of seconds or an HTTP date. */
    public static function readRetryAfter(?string $header): ?float
    {
        if ($header === null || trim($header) === '') {
            return null;
        }
        if (is_numeric($header)) {
            return max(0.0, (float) $header);
        }
        $at = strtotime($header);
        return $at === false ? null : max(0.0, $at - microtime(true));
    }
}
