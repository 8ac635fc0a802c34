<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\ConnectionError;

/** Asks the gateway about orders of which no webhook has reported the end: a delivery may be lost. */
final class Poll
{
    private const ACTION = 'pixgate_poll';
    private const EVERY = 2 * MINUTE_IN_SECONDS;
    /** On an order that is to be asked about: when it was last. */
    public const ASKED = '_pixgate_asked_at';
    /** Orders of one pass that wait, and of those that have ended some other way: each costs a call or two. */
    private const WAITING = 40;
    private const ENDED = 20;
    /** After a code has expired its Pix may still be reported, days after a bank's outage. */
    private const LATE = 7 * DAY_IN_SECONDS;

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

    /**
     * Each kind of orders in turn, who was asked about longest ago first: however many wait, each has its turn. One whose customer has
     * gone, cancelled or chosen another method is asked about too: its Pix may come late.
     */
    public static function run(): void
    {
        if (!Settings::areComplete()) {
            return;
        }
        $of = ['return' => 'ids', 'type' => 'shop_order', 'meta_key' => self::ASKED, 'orderby' => 'meta_value_num', 'order' => 'ASC'];
        $ended = array_values(array_diff(array_keys(wc_get_order_statuses()), ['wc-on-hold']));
        $ids = [
            ...wc_get_orders($of + ['status' => ['on-hold'], 'limit' => self::WAITING]),
            ...wc_get_orders($of + ['status' => $ended, 'limit' => self::ENDED]),
        ];
        foreach ($ids as $id) {
            try {
                Sync::order((int) $id);
            } catch (ConnectionError $error) {
                wc_get_logger()->warning("order $id: " . $error->getMessage(), ['source' => METHOD]);
                // Nobody else would be answered now; the next pass begins with them.
                return;
            } catch (\Throwable $error) {
                // What one order does, or another plugin at its change, does not stop the others.
                wc_get_logger()->error("order $id: " . $error->getMessage(), ['source' => METHOD]);
            }
        }
    }

    /** Notes that it is asked now, before the answer: an order that fails at it goes to the end of the row. */
    public static function asking(\WC_Order $order): void
    {
        $order->update_meta_data(self::ASKED, time());
        $order->save_meta_data();
    }

    /** Takes the order out of the row when nothing can follow any more. */
    public static function asked(\WC_Order $order, bool $isPending): void
    {
        $isLate = time() > (int) $order->get_meta(Charges::EXPIRES) + self::LATE;
        $isPaid = $order->get_meta(Charges::PAID) !== '' && count(Charges::idsOf($order)) === 1;
        if (!$isPending && ($isLate || $isPaid) && $order->get_meta(Refunds::OPEN) !== 'yes' && !Disputes::areOpen($order)) {
            $order->delete_meta_data(self::ASKED);
            $order->save_meta_data();
        }
    }
}
