<?php

declare(strict_types=1);

namespace Pixgate;

/**
 * Polls until an object has ended.
 *
 * @internal
 */
final class Wait
{
    private const FIRST_PAUSE = 0.5;
    private const LONGEST_PAUSE = 5.0;
    private const LONGEST_READ = 30.0;

    /**
     * What fails for a while is read again until the time is over.
     *
     * @param \Closure(CallOptions): array<string, mixed> $read
     * @param list<string> $open the statuses that are waited out
     * @param float $within seconds
     */
    public static function until(\Closure $read, array $open, float $within): array
    {
        $ends = microtime(true) + $within;
        for ($pause = self::FIRST_PAUSE; ; $pause = min(self::LONGEST_PAUSE, $pause * 1.5)) {
            $left = $ends - microtime(true);
            if ($left <= 0) {
                throw new WaitTimeoutError("still waiting after $within s");
            }
            $asked = 0.0;
            try {
                $found = $read(new CallOptions(timeout: min($left, self::LONGEST_READ), maxRetries: 0));
                if (!in_array($found['status'], $open, true)) {
                    return $found;
                }
            } catch (RateLimitError | ServerError $error) {
                $asked = $error->retryAfter ?? 0.0;
            } catch (ConnectionError) {
            }
            $wanted = min(max($pause, $asked), $ends - microtime(true));
            usleep((int) (max(0.0, $wanted) * 1_000_000));
        }
    }
}
