<?php
/**
 * Plugin Name: Pixgate for WooCommerce
 * Description: Pix at the checkout through your own Pixgate: the code with live state, verified webhooks, refunds from the order.
 * Version: 0.1.0
 * Requires at least: 6.5
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.9
 * WC tested up to: 10.0
 * Text Domain: pixgate-for-woocommerce
 * Domain Path: /languages
 * License: GPL-3.0-or-later
 * License URI: https://www.gnu.org/licenses/gpl-3.0.html
 */

declare(strict_types=1);

namespace Pixgate\WooCommerce;

defined('ABSPATH') || exit;

const PLUGIN_FILE = __FILE__;
const METHOD = 'pixgate';

require __DIR__ . '/client/autoload.php';
foreach (['settings', 'charges', 'sync', 'disputes', 'refunds', 'receive', 'poll', 'pages', 'blocks'] as $part) {
    require __DIR__ . "/includes/$part.php";
}

add_action('init', static function (): void {
    load_plugin_textdomain('pixgate-for-woocommerce', false, dirname(plugin_basename(__FILE__)) . '/languages');
});

add_action('before_woocommerce_init', static function (): void {
    foreach (['custom_order_tables', 'cart_checkout_blocks'] as $feature) {
        \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility($feature, __FILE__, true);
    }
});

add_action('plugins_loaded', static function (): void {
    if (!class_exists('WC_Payment_Gateway')) {
        return;
    }
    require_once __DIR__ . '/includes/gateway.php';
    add_filter('woocommerce_payment_gateways', static fn (array $all): array => [...$all, Gateway::class]);
    add_action('woocommerce_api_pixgate', static fn () => Receive::answer());
    Poll::schedule();
    Pages::register();
    Blocks::register();
});

register_deactivation_hook(__FILE__, static fn () => Poll::unschedule());
