<?php

/** Which Pix pays which order: copies, restored shops, other currencies and methods, and who is asked about. */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

use Pixgate\WooCommerce\Charges;
use Pixgate\WooCommerce\Gateway;
use Pixgate\WooCommerce\Poll;
use Pixgate\WooCommerce\Settings;
use Pixgate\WooCommerce\Sync;

/** As plugins that duplicate orders make it: with all metadata. */
function copyOf(\WC_Order $order): \WC_Order
{
    global $product;
    $copy = wc_create_order();
    $copy->add_product($product);
    $copy->set_payment_method('pixgate');
    foreach ($order->get_meta_data() as $meta) {
        $copy->add_meta_data($meta->key, $meta->value);
    }
    $copy->set_transaction_id($order->get_transaction_id());
    $copy->calculate_totals();
    $copy->set_status('on-hold');
    $copy->save();
    return $copy;
}

test('a copy of an order is not paid by its Pix, nor refunds it, and the order still is', function () use ($pixgate) {
    $order = ordered();
    $copy = copyOf($order);
    pay($order);
    Poll::run();
    eventually('the order is paid', static fn () => fresh($order)->get_status() === 'processing');
    same('on-hold', fresh($copy)->get_status());
    same([], Charges::idsOf(fresh($copy)));
    same(1, notes(fresh($copy), 'was taken off it'));
    $late = copyOf(fresh($order));
    same(true, is_wp_error(wc_create_refund(['order_id' => $late->get_id(), 'amount' => '10.00', 'refund_payment' => true])));
    same([], $pixgate->refunds->list($order->get_transaction_id())->toArray(10));
});

test('a customer who pays a copy of a paid order gets a code of its own', function () {
    $copy = copyOf(paid());
    same('success', (new Gateway())->process_payment($copy->get_id())['result']);
    Sync::order($copy->get_id());
    same('on-hold', fresh($copy)->get_status());
    pay(fresh($copy));
    eventually('the copy is paid', static fn () => fresh($copy)->get_status() === 'processing');
});

test('an order that gets the number of an earlier one, in a shop restored from a backup, is not paid by that one\'s Pix', function () {
    $order = paid();
    foreach ($order->get_meta_data() as $meta) {
        if (str_starts_with($meta->key, '_pixgate')) {
            $order->delete_meta_data($meta->key);
        }
    }
    $order->set_date_paid(null);
    $order->set_transaction_id('');
    $order->set_order_key(wc_generate_order_key());
    $order->set_status('pending');
    $order->save();
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    Sync::order($order->get_id());
    same('on-hold', fresh($order)->get_status());
});

test('an order that was restored as it was before its code was issued is paid by it', function () {
    $order = ordered();
    $code = fresh($order);
    foreach ($order->get_meta_data() as $meta) {
        if (str_starts_with($meta->key, '_pixgate')) {
            $order->delete_meta_data($meta->key);
        }
    }
    $order->set_transaction_id('');
    $order->set_status('pending');
    $order->save();
    pay($code);
    eventually('the order is paid', static fn () => fresh($order)->get_status() === 'processing');
});

test('a Pix that was issued for another order is noted, and pays nothing', function () {
    $other = ordered();
    $order = ordered();
    $order->update_meta_data(Charges::IDS, [$other->get_transaction_id()]);
    $order->save();
    pay($other);
    foreach (['first', 'again'] as $_) {
        Sync::order($order->get_id());
    }
    same('on-hold', fresh($order)->get_status());
    same(1, notes(fresh($order), 'was issued for another order'));
});

test('an order in another currency gets no code', function () use ($product) {
    $order = wc_create_order();
    $order->add_product($product);
    $order->set_payment_method('pixgate');
    $order->calculate_totals();
    $order->set_currency('USD');
    $order->save();
    same('failure', (new Gateway())->process_payment($order->get_id())['result']);
    same([], Charges::idsOf(fresh($order)));
    set_query_var('order-pay', $order->get_id());
    same(false, (new Gateway())->is_available(), 'on the page that pays it');
    set_query_var('order-pay', ordered()->get_id());
    same(true, (new Gateway())->is_available(), 'on the page of one in reais');
    set_query_var('order-pay', '');
});

test('an order that is in another currency by now is not paid by its Pix: a person is told', function () {
    $order = ordered();
    $order->set_currency('USD');
    $order->save();
    pay($order);
    Sync::order($order->get_id());
    same('on-hold', fresh($order)->get_status());
    same(1, notes(fresh($order), 'in another currency'));
});

test('a Pix of an order with another method by now is noted once, by webhook and by poll', function () {
    $order = ordered();
    $order->set_payment_method('bacs');
    $order->save();
    $id = pay($order);
    eventually('the webhook says so', static fn () => notes(fresh($order), 'another payment method') === 1);
    same(1, notes(fresh($order), $id));
    Poll::run();
    $order = fresh($order);
    same(1, notes($order, $id));
    same(null, $order->get_date_paid());
});

test('a Pix of an order that a person has marked as paid is noted once', function () {
    $order = ordered();
    $order->update_status('processing', 'Paid in cash.');
    $id = pay($order);
    foreach (['first', 'again'] as $_) {
        Poll::run();
    }
    same(1, notes(fresh($order), $id));
    same(1, notes(fresh($order), 'marked as paid without it'));
});

test('a late Pix of a failed order is found by the poll', function () use ($pixgate) {
    $order = ordered();
    $pixgate->sandbox->expire($order->get_transaction_id());
    eventually('the order has failed', static fn () => fresh($order)->get_status() === 'failed');
    withoutWebhooks(static function () use ($order): void {
        pay($order);
        Poll::run();
    });
    same('processing', fresh($order)->get_status());
});

test('the poll reaches an order behind many that wait, and behind one that breaks', function () use ($pixgate) {
    $long = $pixgate->charges->create(['amount' => 49.9, 'description' => 'x', 'expiresIn' => 86_400]);
    $waiting = [];
    foreach (range(1, 41) as $_) {
        $one = wc_create_order();
        $one->set_payment_method('pixgate');
        $one->update_meta_data(Charges::ATTEMPT, ['of' => Charges::referenceOf($one), 'number' => 1, 'centavos' => 4_990, 'id' => $long['id']]);
        $one->update_meta_data(Charges::IDS, [$long['id']]);
        $one->update_meta_data(Poll::ASKED, 1);
        $one->set_status('on-hold');
        $one->save();
        $waiting[] = $one;
    }
    $order = ordered();
    $break = static fn ($id) => $id === $order->get_id() ? null : throw new \TypeError('another plugin');
    withoutWebhooks(static function () use ($order, $break): void {
        $broken = ordered();
        pay($broken);
        pay($order);
        foreach ([$broken, $order] as $at => $one) {
            $one = fresh($one);
            $one->update_meta_data(Poll::ASKED, 2 + $at);
            $one->save();
        }
        add_action('woocommerce_pre_payment_complete', $break);
        foreach (range(1, 2) as $_) {
            Poll::run();
        }
        remove_action('woocommerce_pre_payment_complete', $break);
    });
    same('processing', fresh($order)->get_status());
    foreach ($waiting as $one) {
        $one->delete(true);
    }
});

