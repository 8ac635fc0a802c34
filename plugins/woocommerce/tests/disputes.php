<?php

/** What a payer's bank contests (MED). */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

use Pixgate\WooCommerce\Disputes;
use Pixgate\WooCommerce\Poll;
use Pixgate\WooCommerce\Sync;

/** Has the Pix of an order contested; the block's id. */
function contested(\WC_Order $order): string
{
    global $pixgate;
    return $pixgate->sandbox->contest(['transactionId' => $order->get_transaction_id()])['id'];
}

function resolved(string $block, string $outcome): void
{
    global $pixgate;
    $pixgate->sandbox->resolveContest($block, ['outcome' => $outcome]);
}

test('a dispute is noted once while the money is held, and what went back is a refund of the order, once', function () use ($pixgate) {
    $order = paid();
    $block = contested($order);
    eventually('it is noted', static fn () => notes(fresh($order), 'contests') === 1);
    Sync::order($order->get_id());
    same(1, notes(fresh($order), 'contests'));
    same([], fresh($order)->get_refunds());
    resolved($block, 'approved');
    eventually('the order is refunded', static fn () => fresh($order)->get_status() === 'refunded');
    Sync::order($order->get_id());
    $order = fresh($order);
    same(['49.90'], array_map(static fn ($one) => $one->get_amount(), $order->get_refunds()));
    same(1, notes($order, 'taken back by the bank'));
    same('', $order->get_meta(Disputes::HELD));
    same([], madeOf($order), 'nothing was sent by the shop');
});

test('a dispute whose amount changes is noted again, and the refund is of what went back', function () use ($pixgate) {
    $order = paid();
    $block = contested($order);
    eventually('it is noted', static fn () => fresh($order)->get_meta(Disputes::HELD) === '4990');
    $pixgate->sandbox->changeContest($block, ['amount' => 20]);
    // By its webhook: nothing runs the poll here.
    eventually('less is held', static fn () => fresh($order)->get_meta(Disputes::HELD) === '2000');
    same(2, notes(fresh($order), 'contests'));
    resolved($block, 'approved');
    // The refund is there before its amount is, and the dispute's end is written last.
    eventually('a part is refunded', static function () use ($order): bool {
        $order = fresh($order);
        $amounts = array_map(static fn ($one) => $one->get_amount(), array_values($order->get_refunds()));
        return $amounts === ['20.00'] && $order->get_meta(Disputes::HELD) === '';
    });
    same(1, notes(fresh($order), 'taken back by the bank'));
});

test('a dispute that is lost unheard is found by the poll, and one that is won leaves the order as it was', function () {
    $order = paid();
    $won = contested($order);
    eventually('it is noted', static fn () => notes(fresh($order), 'contests') === 1);
    withoutWebhooks(static function () use ($order, $won): void {
        resolved($won, 'rejected');
        eventually('the poll says so', static function () use ($order): bool {
            Poll::run();
            return notes(fresh($order), 'contested any more') === 1;
        });
    });
    same([], fresh($order)->get_refunds());
    same('processing', fresh($order)->get_status());
    $lost = contested($order);
    eventually('it is noted again', static fn () => notes(fresh($order), 'contests') === 2);
    withoutWebhooks(static function () use ($order, $lost): void {
        resolved($lost, 'approved');
        eventually('the poll refunds', static function () use ($order): bool {
            Poll::run();
            return count(fresh($order)->get_refunds()) === 1;
        });
    });
});

test('a Pix of which a bank has taken all back is not refunded by the shop too', function () use ($pixgate) {
    $order = paid();
    withoutWebhooks(static function () use ($order, $pixgate): void {
        resolved(contested($order), 'approved');
        eventually('it went back', static fn () => $pixgate->transactions->get($order->get_transaction_id())['returnedAmount'] > 0);
    });
    same(true, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '10.00', 'refund_payment' => true])));
    same([], madeOf($order));
    same([], fresh($order)->get_refunds());
});
