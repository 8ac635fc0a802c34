<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\PixgateError;

/** Asks the gateway about orders of which no webhook has reported the end: a delivery may be lost. */
final class Poll
{
    private const ACTION = 'pixgate_poll';
    private const EVERY = 2 * MINUTE_IN_SECONDS;
    /** Orders of one pass: each costs a call or two. */
    private const LIMIT = 40;

    public static function schedule(): void
    {
        add_action(self::ACTION, static fn () => self::run());
        add_action('action_scheduler_init', static function (): void {
            if (!as_has_scheduled_action(self::ACTION)) {
                as_schedule_recurring_action(time(), self::EVERY, self::ACTION, [], METHOD, true);
            }
        });
    }

    public static function unschedule(): void
    {
        if (function_exists('as_unschedule_all_actions')) {
            as_unschedule_all_actions(self::ACTION);
        }
    }

    /** Orders that wait for their Pix, least recently changed first, then those with a refund whose end is open. */
    public static function run(): void
    {
        if (!Settings::areComplete()) {
            return;
        }
        $of = ['return' => 'ids', 'payment_method' => METHOD, 'limit' => self::LIMIT, 'orderby' => 'modified', 'order' => 'ASC'];
        $waiting = wc_get_orders($of + ['status' => ['on-hold']]);
        $refunded = wc_get_orders($of + ['meta_key' => Refunds::OPEN, 'meta_value' => 'yes']);
        foreach (array_unique([...$waiting, ...$refunded]) as $id) {
            try {
                Sync::order((int) $id);
            } catch (PixgateError $error) {
                wc_get_logger()->warning("order $id: " . $error->getMessage(), ['source' => METHOD]);
            }
        }
    }
}
