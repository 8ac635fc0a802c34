<?php

/**
 * The plugin in a real WooCommerce, at a real gateway: `php run.php`, with the shop served at its address (docs/guides/woocommerce.md).
 * Its last line is `… passed, 0 failed`.
 */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

use Pixgate\WooCommerce\Charges;
use Pixgate\WooCommerce\Gateway;
use Pixgate\WooCommerce\Poll;
use Pixgate\WooCommerce\Receive;
use Pixgate\WooCommerce\Settings;
use Pixgate\WooCommerce\Sync;

require __DIR__ . '/shop.php';
require __DIR__ . '/http.php';

prepare();
$pixgate = new \Pixgate\Client(getenv('PIXGATE_URL'), getenv('PIXGATE_CLIENT_ID'), getenv('PIXGATE_CLIENT_SECRET'));
$product = product('49.90');
[$passed, $failed] = [0, 0];

function test(string $name, callable $run): void
{
    global $passed, $failed;
    try {
        $run();
        $passed += 1;
        echo "✔ $name\n";
    } catch (\Throwable $error) {
        $failed += 1;
        echo "✖ $name\n  {$error->getMessage()} ({$error->getFile()}:{$error->getLine()})\n";
    }
}

function same(mixed $expected, mixed $actual, string $what = ''): void
{
    if ($expected !== $actual) {
        throw new \Exception(trim("$what expected " . var_export($expected, true) . ', is ' . var_export($actual, true)));
    }
}

function eventually(string $what, callable $is): void
{
    for ($until = microtime(true) + 20; microtime(true) < $until; usleep(100_000)) {
        if ($is()) {
            return;
        }
    }
    throw new \Exception("not within 20 seconds: $what");
}

/** As another process has left it. */
function fresh(\WC_Order|int $order): \WC_Order
{
    wp_cache_flush();
    return wc_get_order($order instanceof \WC_Order ? $order->get_id() : $order);
}

/** An order that waits for its Pix. */
function ordered(): \WC_Order
{
    global $product;
    $order = wc_create_order();
    $order->add_product($product);
    $order->set_payment_method('pixgate');
    $order->calculate_totals();
    $order->save();
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    return fresh($order);
}

/** Pays the newest code of an order, and waits until the gateway knows. */
function pay(\WC_Order $order): string
{
    global $pixgate;
    $pixgate->sandbox->pay($order->get_transaction_id());
    $pixgate->transactions->wait($order->get_transaction_id(), within: 20);
    return $order->get_transaction_id();
}

function paid(): \WC_Order
{
    global $pixgate;
    $order = ordered();
    $pixgate->sandbox->pay($order->get_transaction_id());
    eventually('the order is paid', static fn () => fresh($order)->get_date_paid() !== null);
    return fresh($order);
}

/** While the work runs nothing answers at the gateway's address. */
function withoutGateway(callable $work): void
{
    $settings = get_option(Settings::OPTION);
    update_option(Settings::OPTION, ['url' => 'http://127.0.0.1:9'] + $settings);
    try {
        $work();
    } finally {
        update_option(Settings::OPTION, $settings);
    }
}

/** While the work runs no delivery reaches the shop. */
function withoutWebhooks(callable $work): void
{
    global $pixgate;
    $endpoint = get_option(Settings::ENDPOINT)['id'];
    $pixgate->webhookEndpoints->update($endpoint, ['enabled' => false]);
    try {
        $work();
    } finally {
        $pixgate->webhookEndpoints->update($endpoint, ['enabled' => true]);
    }
}

function notes(\WC_Order $order, string $part): int
{
    $all = wc_get_order_notes(['order_id' => $order->get_id()]);
    return count(array_filter($all, static fn ($note): bool => str_contains($note->content, $part)));
}

test('the shop registers its address once, however often the settings are saved', function () use ($pixgate) {
    Settings::registerEndpoint();
    Settings::registerEndpoint();
    $ours = array_filter(
        $pixgate->webhookEndpoints->list()->toArray(50),
        static fn ($one) => $one['url'] === Settings::webhookAddress() && $one['enabled'],
    );
    same(1, count($ours));
    same(1, count(Settings::webhookSecrets()));
});

test('a purchase at the checkout of blocks shows its code, and the page hears of the payment', function () use ($pixgate, $product) {
    $address = buy($product->get_id());
    preg_match('~order-received/(\d+)/\?key=([\w-]+)~', $address, $match) ?: throw new \Exception($address);
    [, $id, $key] = $match;
    $order = fresh((int) $id);
    same('on-hold', $order->get_status());
    $page = get($address);
    same(true, str_contains($page['body'], esc_attr($order->get_meta(Charges::CODE))), 'the page has the code');
    same(true, str_contains($page['body'], 'pay.js'), 'the page is live');
    $state = home_url("/?wc-ajax=pixgate_state&order=$id&key=");
    same(['state' => 'waiting'], json_decode(get($state . $key)['body'], true));
    same(404, get($state . 'wc_order_another')['status'], 'with another key');
    $pixgate->sandbox->pay($order->get_transaction_id());
    eventually('the page says so', static fn () => json_decode(get($state . $key)['body'], true) === ['state' => 'paid']);
    same(49.9, $pixgate->transactions->get($order->get_transaction_id())['amount']);
});

test('a webhook alone pays an order', function () {
    $order = paid();
    same('processing', $order->get_status());
    eventually('it is noted', static fn () => notes(fresh($order), 'Pix received') === 1);
});

test('a delivery that is forged, or old, changes nothing', function () {
    $order = ordered();
    $body = json_encode(['event' => 'payment_completed', 'data' => ['transactionId' => $order->get_transaction_id()]]);
    same(401, deliver($body, 'whsec_' . base64_encode('another')));
    same(401, deliver($body, Settings::webhookSecrets()[0], time() - 3_600));
    same(401, post(Settings::webhookAddress(), $body, [])['status']);
    same('on-hold', fresh($order)->get_status());
});

test('a genuine delivery that says what is not so changes nothing either', function () {
    $order = ordered();
    $body = json_encode(['event' => 'payment_completed', 'data' => ['transactionId' => $order->get_transaction_id()]]);
    same(204, deliver($body, Settings::webhookSecrets()[0]));
    same('on-hold', fresh($order)->get_status());
});

test('the poll pays an order whose webhook is lost', function () use ($pixgate) {
    $endpoint = get_option(Settings::ENDPOINT)['id'];
    $pixgate->webhookEndpoints->update($endpoint, ['enabled' => false]);
    $order = ordered();
    $pixgate->sandbox->pay($order->get_transaction_id());
    $pixgate->transactions->wait($order->get_transaction_id(), within: 20);
    same('on-hold', fresh($order)->get_status());
    Poll::run();
    $pixgate->webhookEndpoints->update($endpoint, ['enabled' => true]);
    same('processing', fresh($order)->get_status());
});

test('a customer who asks for a code of an order that is paid by then changes nothing', function () {
    $order = paid();
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    same('processing', fresh($order)->get_status());
    same(1, count(Charges::idsOf(fresh($order))));
});

test('an order is paid once, whoever reports it at the same time', function () use ($pixgate) {
    $endpoint = get_option(Settings::ENDPOINT)['id'];
    $pixgate->webhookEndpoints->update($endpoint, ['enabled' => false]);
    $order = ordered();
    $pixgate->sandbox->pay($order->get_transaction_id());
    $pixgate->transactions->wait($order->get_transaction_id(), within: 20);
    $body = json_encode(['event' => 'payment_completed', 'data' => ['transactionId' => $order->get_transaction_id()]]);
    same(array_fill(0, 6, 204), deliverAtOnce($body, Settings::webhookSecrets()[0], 6));
    $pixgate->webhookEndpoints->update($endpoint, ['enabled' => true]);
    same(1, notes(fresh($order), 'Pix received'));
});

test('a purchase whose answer is lost is repeated with its key, and issues one charge', function () use ($pixgate, $product) {
    $order = wc_create_order();
    $order->add_product($product);
    $order->set_payment_method('pixgate');
    $order->calculate_totals();
    $order->save();
    withoutGateway(static function () use ($order): void {
        same('failure', (new Gateway())->process_payment($order->get_id())['result']);
    });
    same('pending', fresh($order)->get_status());
    foreach (['first', 'again'] as $_) {
        same('success', (new Gateway())->process_payment($order->get_id())['result']);
    }
    $order = fresh($order);
    same(1, count(Charges::idsOf($order)));
    $reference = $pixgate->transactions->get($order->get_transaction_id())['externalReference'];
    same(1, preg_match("/-{$order->get_id()}-1$/", $reference), 'the first attempt');
});

test('an order whose code has expired can be paid with a new one', function () use ($pixgate) {
    $order = ordered();
    $pixgate->sandbox->expire($order->get_transaction_id());
    eventually('the order has failed', static fn () => fresh($order)->get_status() === 'failed');
    $order = fresh($order);
    $order->update_meta_data(Charges::EXPIRES, time());
    $order->save();
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    $order = fresh($order);
    same(2, count(Charges::idsOf($order)));
    $pixgate->sandbox->pay($order->get_transaction_id());
    eventually('the order is paid', static fn () => fresh($order)->get_status() === 'processing');
});

test('a Pix of another amount than the order has by now is left to a person', function () use ($pixgate, $product) {
    $order = ordered();
    $order->add_product($product);
    $order->calculate_totals();
    $order->save();
    $pixgate->sandbox->pay($order->get_transaction_id());
    eventually('it is noted', static fn () => notes(fresh($order), 'another amount') === 1);
    Poll::run();
    same('on-hold', fresh($order)->get_status());
    same(1, notes(fresh($order), 'another amount'));
});

require __DIR__ . '/payments.php';
require __DIR__ . '/refunds.php';
require __DIR__ . '/disputes.php';

test('the checkout speaks Portuguese', function () {
    load_textdomain('pixgate-for-woocommerce', dirname(\Pixgate\WooCommerce\PLUGIN_FILE) . '/languages/pixgate-for-woocommerce-pt_BR.mo', 'pt_BR');
    switch_to_locale('pt_BR');
    load_textdomain('pixgate-for-woocommerce', dirname(\Pixgate\WooCommerce\PLUGIN_FILE) . '/languages/pixgate-for-woocommerce-pt_BR.mo', 'pt_BR');
    same('Pague com Pix', __('Pay with Pix', 'pixgate-for-woocommerce'));
    restore_previous_locale();
});

test('every text has its translation', function () {
    $folder = dirname(\Pixgate\WooCommerce\PLUGIN_FILE);
    $known = array_keys((require "$folder/languages/pixgate-for-woocommerce-pt_BR.l10n.php")['messages']);
    $used = [];
    foreach (glob("$folder/includes/*.php") as $file) {
        preg_match_all("/(?:__|esc_html__|esc_attr__)\\(\\s*'([^']+)',\\s*'pixgate-for-woocommerce'/", file_get_contents($file), $match);
        $used = [...$used, ...$match[1]];
    }
    same([], array_values(array_diff($used, $known)), 'without translation');
    same([], array_values(array_diff($known, $used)), 'without use');
});

$hpos = \Automattic\WooCommerce\Utilities\OrderUtil::custom_orders_table_usage_is_enabled() ? "its own tables" : "posts";
echo 'WordPress ', get_bloginfo('version'), ', WooCommerce ', WC()->version, ", orders in $hpos\n$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
