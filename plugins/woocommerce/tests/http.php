<?php

/** The shop as a browser and as the gateway call it. */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

use Pixgate\WooCommerce\Settings;

/** @return array{status: int, body: string, headers: array<string, string>} */
function call(string $method, string $address, ?string $body, array $headers): array
{
    $lines = array_map(static fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
    $answered = [];
    $curl = curl_init($address);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => $lines,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
        CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$answered): int {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $answered[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    $text = (string) curl_exec($curl);
    return ['status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'body' => $text, 'headers' => $answered];
}

function get(string $address): array
{
    return call('GET', $address, null, []);
}

function post(string $address, string $body, array $headers): array
{
    return call('POST', $address, $body, ['content-type' => 'application/json'] + $headers);
}

/** Puts one piece into a new cart and pays by Pix, by the calls that the checkout of blocks makes; the address it leads to. */
function buy(int $productId): string
{
    $store = home_url('/wp-json/wc/store/v1');
    $cart = get("$store/cart")['headers'];
    $of = ['nonce' => $cart['nonce'] ?? '', 'cart-token' => $cart['cart-token'] ?? ''];
    post("$store/cart/add-item", json_encode(['id' => $productId, 'quantity' => 1]), $of);
    $address = ['first_name' => 'Maria', 'last_name' => 'Silva', 'email' => 'maria@example.com', 'address_1' => 'Rua A, 1', 'city' => 'São Paulo']
        + ['state' => 'SP', 'postcode' => '01310-100', 'country' => 'BR', 'phone' => '11999990000'];
    $answer = post("$store/checkout", json_encode(['payment_method' => 'pixgate', 'billing_address' => $address]), $of);
    return json_decode($answer['body'], true)['payment_result']['redirect_url'] ?? throw new \Exception($answer['body']);
}

/** @return array<string, string> */
function signed(string $body, string $secret, int $time): array
{
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signature = base64_encode(hash_hmac('sha256', "msg_1.$time.$body", $key, true));
    return ['webhook-id' => 'msg_1', 'webhook-timestamp' => (string) $time, 'webhook-signature' => "v1,$signature"];
}

function deliver(string $body, string $secret, ?int $time = null): int
{
    return post(Settings::webhookAddress(), $body, signed($body, $secret, $time ?? time()))['status'];
}

/** @return list<int> */
function deliverAtOnce(string $body, string $secret, int $times): array
{
    $all = curl_multi_init();
    $each = [];
    foreach (range(1, $times) as $_) {
        $headers = ['content-type' => 'application/json'] + signed($body, $secret, time());
        $curl = curl_init(Settings::webhookAddress());
        curl_setopt_array($curl, [
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => array_map(static fn ($name, $value) => "$name: $value", array_keys($headers), $headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 60,
        ]);
        curl_multi_add_handle($all, $curl);
        $each[] = $curl;
    }
    do {
        curl_multi_exec($all, $running);
        curl_multi_select($all, 1.0);
    } while ($running > 0);
    return array_map(static fn ($curl) => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $each);
}
