<?php

/** Loads the shop as a request would; the first time it makes its tables, pages and one product. */

declare(strict_types=1);

namespace Pixgate\WooCommerce\Tests;

$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/'];
require getenv('PIXGATE_WORDPRESS') . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

function prepare(): void
{
    \WC_Install::install();
    \WC_Install::create_pages();
    update_option('woocommerce_currency', 'BRL');
    update_option('woocommerce_default_country', 'BR:SP');
    update_option('woocommerce_coming_soon', 'no');
    update_option('woocommerce_pixgate_settings', [
        'enabled' => 'yes',
        'title' => 'Pix',
        'description' => 'Pague com Pix.',
        'url' => getenv('PIXGATE_URL'),
        'client_id' => getenv('PIXGATE_CLIENT_ID'),
        'client_secret' => getenv('PIXGATE_CLIENT_SECRET'),
        'minutes' => '30',
    ]);
    flush_rewrite_rules();
}

function product(string $price): \WC_Product
{
    $product = new \WC_Product_Simple();
    $product->set_name('Caneca');
    $product->set_regular_price($price);
    $product->set_virtual(true);
    $product->save();
    return $product;
}
