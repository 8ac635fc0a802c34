<?php

/** Refunds, whose answers may be lost, and which may be made in Pixgate. */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

use Pixgate\WooCommerce\Charges;
use Pixgate\WooCommerce\Poll;
use Pixgate\WooCommerce\Refunds;
use Pixgate\WooCommerce\Sync;

/** A refund of the order as it stands when the gateway's answer to it is lost, `$ago` seconds after it was sent. */
function unanswered(\WC_Order $order, string $amount, bool $isMade, string $reason = '', int $ago = 0): \WC_Order_Refund
{
    $refund = wc_create_refund(['order_id' => $order->get_id(), 'amount' => $amount, 'reason' => $reason, 'refund_payment' => $isMade]);
    same(false, is_wp_error($refund) ? $refund->get_error_message() : false);
    wp_cache_flush();
    $refund = wc_get_order($refund->get_id());
    $body = base64_encode(json_encode(['amount' => (float) $amount]));
    $attempt = $isMade
        ? $refund->get_meta(Refunds::ATTEMPT)
        : ['key' => Charges::referenceOf($order) . "refund-{$refund->get_id()}", 'charge' => $order->get_transaction_id(), 'body' => $body];
    $refund->update_meta_data(Refunds::ATTEMPT, ['at' => time() - $ago] + $attempt);
    $refund->update_meta_data(Refunds::STATE, 'unknown');
    $refund->delete_meta_data(Refunds::REFUND_ID);
    $refund->save();
    $order = fresh($order);
    $order->update_meta_data(Refunds::OPEN, 'yes');
    $order->update_meta_data(Poll::ASKED, 0);
    $order->save();
    return $refund;
}

/** As the gateway is 24 hours later: whoever repeats the call makes another refund. */
function forget(\WC_Order_Refund $refund): void
{
    $refund->update_meta_data(Refunds::ATTEMPT, ['key' => 'forgotten-' . $refund->get_id()] + $refund->get_meta(Refunds::ATTEMPT));
    $refund->save();
}

function madeOf(\WC_Order $order): array
{
    global $pixgate;
    return $pixgate->refunds->list($order->get_transaction_id())->toArray(10);
}

function refundInPixgate(\WC_Order $order, float $amount): void
{
    global $pixgate;
    $before = (float) $pixgate->transactions->get($order->get_transaction_id())['refundedAmount'];
    $pixgate->refunds->create($order->get_transaction_id(), ['amount' => $amount]);
    eventually('it is made', static fn () => $pixgate->transactions->get($order->get_transaction_id())['refundedAmount'] > $before);
}

function stateOf(\WC_Order_Refund $refund): string
{
    wp_cache_flush();
    return (string) wc_get_order($refund->get_id())->get_meta(Refunds::STATE);
}

test('a payment is refunded from the order, in part and then whole', function () use ($pixgate) {
    $order = paid();
    foreach (['10.00', '39.90'] as $amount) {
        $refund = wc_create_refund(['order_id' => $order->get_id(), 'amount' => $amount, 'reason' => 'Voltou', 'refund_payment' => true]);
        same(false, is_wp_error($refund) ? $refund->get_error_message() : false);
        eventually('it has reached the payer', static function () use ($order, $refund): bool {
            Sync::order($order->get_id());
            wp_cache_flush();
            return wc_get_order($refund->get_id())->get_meta('_pixgate_refund') === 'done';
        });
    }
    same('refunded', fresh($order)->get_status());
    same('', fresh($order)->get_meta('_pixgate_refund_open'));
    same(49.9, $pixgate->transactions->get($order->get_transaction_id())['refundedAmount']);
});

test('a refund that the gateway refuses is none in the shop either', function () use ($pixgate) {
    $order = ordered();
    $refund = wc_create_refund(['order_id' => $order->get_id(), 'amount' => '10.00', 'refund_payment' => true]);
    same(true, is_wp_error($refund));
    same([], fresh($order)->get_refunds());
    same('pending', $pixgate->transactions->get($order->get_transaction_id())['status']);
});

test('a refund while the gateway does not answer is none in the shop, and none later', function () use ($pixgate) {
    $order = paid();
    withoutGateway(static function () use ($order): void {
        same(true, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '10.00', 'refund_payment' => true])));
    });
    Poll::run();
    same([], fresh($order)->get_refunds());
    same([], madeOf($order));
});

test('a refund that never arrived is repeated, and is made once', function () use ($pixgate) {
    $order = paid();
    $refund = unanswered($order, '10.00', isMade: false);
    eventually('it is made', static function () use ($refund): bool {
        Poll::run();
        return stateOf($refund) === 'done';
    });
    same(1, count(madeOf($order)));
    same('', fresh($order)->get_meta(Refunds::OPEN));
});

foreach (['Tamanho 40\\41', 'Voltou 😀', "  \"aspas\" d'água\nlinha"] as $reason) {
    test('a refund that was made and whose answer was lost stays: ' . json_encode($reason), function () use ($reason) {
        $order = paid();
        unanswered($order, '10.00', isMade: true, reason: $reason);
        Sync::order($order->get_id());
        same(1, count(fresh($order)->get_refunds()));
        same(1, count(madeOf($order)));
    });
}

test('a refund whose key the gateway has forgotten is found, and not made again', function () {
    $order = paid();
    $refund = unanswered($order, '10.00', isMade: true, ago: 21 * 3_600);
    forget($refund);
    eventually('it is known', static fn () => Sync::order($order->get_id()) && stateOf($refund) === 'done');
    same(1, count(madeOf($order)));
    same(1, count(fresh($order)->get_refunds()));
});

test('a refund that is not found after its key was forgotten is left to a person, and not made', function () {
    $order = paid();
    $refund = unanswered($order, '10.00', isMade: false, ago: 21 * 3_600);
    foreach (['first', 'again'] as $_) {
        Sync::order($order->get_id());
    }
    same([], madeOf($order));
    same('person', stateOf($refund));
    same(1, notes(fresh($order), 'look in Pixgate'));
    same('', fresh($order)->get_meta(Refunds::OPEN));
});

test('a refund that cannot be repeated while another one is in the way is not taken off the order', function () {
    $order = paid();
    $refund = unanswered($order, '10.00', isMade: false);
    withoutWebhooks(static fn () => refundInPixgate($order, 49.9));
    Sync::order($order->get_id());
    same('unknown', stateOf($refund));
    same(1, count(fresh($order)->get_refunds()));
    same(1, notes(fresh($order), 'was given back in Pixgate'));
});

test('a refund whose key was used with another body is looked for by its amount', function () {
    $order = paid();
    $refund = unanswered($order, '10.00', isMade: true);
    $attempt = $refund->get_meta(Refunds::ATTEMPT);
    $refund->update_meta_data(Refunds::ATTEMPT, ['body' => base64_encode('{"amount":10,"reason":"other"}')] + $attempt);
    $refund->save();
    eventually('it is known', static fn () => Sync::order($order->get_id()) && stateOf($refund) === 'done');
    same(1, count(madeOf($order)));
});

test('a refund that is made in Pixgate becomes one of the order, once', function () {
    $order = paid();
    refundInPixgate($order, 10);
    eventually('it is in the order', static fn () => count(fresh($order)->get_refunds()) === 1);
    Sync::order($order->get_id());
    $order = fresh($order);
    same(['10.00'], array_map(static fn ($one) => $one->get_amount(), $order->get_refunds()));
    same(1, notes($order, 'was given back in Pixgate'));
});

test('a refund that was made in Pixgate and entered by hand is one', function () {
    $order = paid();
    withoutWebhooks(static fn () => refundInPixgate($order, 10));
    same(false, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '10.00'])));
    Sync::order($order->get_id());
    same(1, count(fresh($order)->get_refunds()));
});

test('a refund of an order that was refunded in Pixgate unheard is not made a second time', function () {
    $order = paid();
    withoutWebhooks(static fn () => refundInPixgate($order, 10));
    same(true, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '10.00', 'refund_payment' => true])));
    Poll::run();
    same(1, count(fresh($order)->get_refunds()));
    same(1, count(madeOf($order)));
    // What is meant after that is made.
    same(false, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '5.00', 'refund_payment' => true])));
    same(2, count(madeOf($order)));
});

test('no more is refunded than is left of the Pix', function () {
    $order = paid();
    withoutWebhooks(static fn () => refundInPixgate($order, 45));
    // Entered by hand with another amount: the order has more left than the Pix.
    same(false, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '20.00'])));
    same(true, is_wp_error(wc_create_refund(['order_id' => $order->get_id(), 'amount' => '20.00', 'refund_payment' => true])));
    same(1, count(madeOf($order)));
});

