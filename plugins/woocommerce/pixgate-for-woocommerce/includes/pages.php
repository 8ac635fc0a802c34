<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\PixgateError;

/** What a customer sees after the checkout: the code, and whether it has been paid. */
final class Pages
{
    /** Seconds between two questions to the gateway about one order, however many pages wait. */
    private const FRESH = 3;

    public static function register(): void
    {
        add_action('wc_ajax_pixgate_state', static fn () => self::answerState());
        // Block themes render the page after the checkout without the gateway's own hook of the classic template.
        add_action('woocommerce_view_order', static fn ($orderId) => self::showCode((int) $orderId), 5);
    }

    public static function showCode(int $orderId): void
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof \WC_Order || $order->get_payment_method() !== METHOD || !$order->has_status('on-hold') || !Charges::areOwn($order)) {
            return;
        }
        $address = \WC_AJAX::get_endpoint('pixgate_state');
        $version = (string) filemtime(dirname(PLUGIN_FILE) . '/assets/pay.js');
        wp_enqueue_script('pixgate-pay', plugins_url('assets/pay.js', PLUGIN_FILE), [], $version, true);
        wp_enqueue_style('pixgate-pay', plugins_url('assets/pay.css', PLUGIN_FILE), [], $version);
        printf(
            '<section class="pixgate-pay" data-address="%s" data-order="%d" data-key="%s" data-left="%d"><h2>%s</h2>',
            esc_url($address),
            $orderId,
            esc_attr($order->get_order_key()),
            Charges::secondsLeft($order),
            esc_html__('Pay with Pix', 'pixgate-for-woocommerce'),
        );
        $image = (string) $order->get_meta(Charges::IMAGE);
        if ($image !== '') {
            $source = str_starts_with($image, 'data:') ? $image : "data:image/png;base64,$image";
            printf('<img src="%s" alt="%s" width="240" height="240">', esc_attr($source), esc_attr__('QR code of the Pix', 'pixgate-for-woocommerce'));
        }
        printf(
            '<label for="pixgate-code">%s</label><input id="pixgate-code" readonly value="%s">'
                . '<button type="button" data-copied="%s">%s</button><p role="status" aria-live="polite">%s</p></section>',
            esc_html__('Pix copy and paste', 'pixgate-for-woocommerce'),
            esc_attr((string) $order->get_meta(Charges::CODE)),
            esc_attr__('Copied', 'pixgate-for-woocommerce'),
            esc_html__('Copy the code', 'pixgate-for-woocommerce'),
            esc_html__('Waiting for your payment…', 'pixgate-for-woocommerce'),
        );
    }

    /** Who has the order's key may ask: it is in the address of the page. */
    private static function answerState(): never
    {
        $order = wc_get_order(absint($_GET['order'] ?? 0));
        $key = is_string($_GET['key'] ?? null) ? wp_unslash($_GET['key']) : '';
        if (!$order instanceof \WC_Order || $order->get_payment_method() !== METHOD || !hash_equals($order->get_order_key(), $key)) {
            wp_send_json(['state' => 'unknown'], 404);
        }
        $asked = 'pixgate_asked_' . $order->get_id();
        if ($order->has_status('on-hold') && get_transient($asked) === false) {
            set_transient($asked, 1, self::FRESH);
            try {
                Sync::order($order->get_id());
            } catch (PixgateError) {
                // The next question may be answered.
            }
        }
        wp_send_json(['state' => self::stateOf(wc_get_order($order->get_id()))]);
    }

    private static function stateOf(\WC_Order $order): string
    {
        return match (true) {
            $order->get_date_paid() !== null => 'paid',
            $order->has_status('on-hold') => 'waiting',
            default => 'ended',
        };
    }
}
