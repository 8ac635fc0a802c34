<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\PixgateError;

/** The payment method, as WooCommerce knows it. */
final class Gateway extends \WC_Payment_Gateway
{
    public function __construct()
    {
        $this->id = METHOD;
        $this->method_title = 'Pixgate';
        $this->method_description = __('Pix through your own Pixgate.', 'pixgate-for-woocommerce');
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_$this->id", [$this, 'save']);
        add_action("woocommerce_thankyou_$this->id", static fn ($orderId) => Pages::showCode((int) $orderId));
    }

    public function init_form_fields(): void
    {
        $text = static fn (string $title, string $default = '', string $type = 'text'): array => compact('title', 'default', 'type');
        $this->form_fields = [
            'enabled' => $text(__('Pix at the checkout', 'pixgate-for-woocommerce'), 'no', 'checkbox'),
            'title' => $text(__('Name', 'pixgate-for-woocommerce'), 'Pix'),
            'description' => $text(
                __('Description', 'pixgate-for-woocommerce'),
                __('You pay with the code that is shown next.', 'pixgate-for-woocommerce'),
                'textarea',
            ),
            'url' => $text(__('Address of the gateway', 'pixgate-for-woocommerce'), '', 'url'),
            'client_id' => $text(__('Client id', 'pixgate-for-woocommerce')),
            'client_secret' => $text(__('Client secret', 'pixgate-for-woocommerce'), '', 'password'),
            'minutes' => $text(__('Minutes that a code can be paid', 'pixgate-for-woocommerce'), '30', 'number'),
        ];
    }

    /** Keeps the settings, and registers the shop's address for webhooks: what is wrong is said here, not at the first sale. */
    public function save(): void
    {
        $this->process_admin_options();
        if (!Settings::areComplete()) {
            return;
        }
        try {
            Settings::registerEndpoint();
        } catch (PixgateError $error) {
            /* translators: %s: what the gateway said */
            \WC_Admin_Settings::add_error(sprintf(__('Pixgate: %s', 'pixgate-for-woocommerce'), $error->getMessage()));
        }
    }

    /** What is in another currency cannot be paid by Pix: the cart, or on the page that pays an order, that order. */
    public function is_available(): bool
    {
        $asked = absint(get_query_var('order-pay'));
        $order = $asked > 0 ? wc_get_order($asked) : null;
        $currency = $order instanceof \WC_Order ? $order->get_currency() : get_woocommerce_currency();
        return parent::is_available() && Settings::areComplete() && $currency === 'BRL';
    }

    public function process_payment($orderId): array
    {
        if (!Charges::isInReais(wc_get_order($orderId))) {
            wc_add_notice(__('A Pix pays an order in reais only.', 'pixgate-for-woocommerce'), 'error');
            return ['result' => 'failure'];
        }
        try {
            $done = Sync::locked((int) $orderId, static function () use ($orderId): void {
                $order = wc_get_order($orderId);
                // Its Pix may have arrived while the customer asked for another code.
                if ($order->get_date_paid() !== null) {
                    return;
                }
                Charges::issue($order);
                // On hold, not pending: WooCommerce cancels what is pending by its own clock, even while it is being paid.
                $order->update_status('on-hold', __('Waiting for the Pix.', 'pixgate-for-woocommerce'));
            });
        } catch (PixgateError $error) {
            wc_get_logger()->warning("order $orderId: " . $error->getMessage(), ['source' => METHOD]);
            $done = false;
        }
        if (!$done) {
            wc_add_notice(__('Pix does not answer at the moment. Please try again.', 'pixgate-for-woocommerce'), 'error');
            return ['result' => 'failure'];
        }
        WC()->cart?->empty_cart();
        return ['result' => 'success', 'redirect' => $this->get_return_url(wc_get_order($orderId))];
    }

    public function process_refund($orderId, $amount = null, $reason = ''): bool|\WP_Error
    {
        $result = new \WP_Error('pixgate', __('Somebody else works on this order: try again.', 'pixgate-for-woocommerce'));
        Sync::locked((int) $orderId, static function () use ($orderId, $amount, $reason, &$result): void {
            $order = wc_get_order($orderId);
            $result = Refunds::send($order, (string) ($amount ?? $order->get_total()), (string) $reason);
        });
        return $result;
    }
}
