<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;
use Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry;

/** The payment method at the checkout that is made of blocks. */
final class Blocks
{
    public static function register(): void
    {
        add_action('woocommerce_blocks_payment_method_type_registration', static function (PaymentMethodRegistry $registry): void {
            $registry->register(new class () extends AbstractPaymentMethodType {
                protected $name = METHOD;

                public function initialize(): void
                {
                    $this->settings = get_option(Settings::OPTION, []);
                }

                public function is_active(): bool
                {
                    return (WC()->payment_gateways()->payment_gateways()[METHOD] ?? null)?->is_available() ?? false;
                }

                public function get_payment_method_script_handles(): array
                {
                    $file = dirname(PLUGIN_FILE) . '/assets/blocks.js';
                    $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
                    wp_register_script('pixgate-blocks', plugins_url('assets/blocks.js', PLUGIN_FILE), $needs, (string) filemtime($file), true);
                    return ['pixgate-blocks'];
                }

                public function get_payment_method_data(): array
                {
                    return [
                        'title' => Settings::read('title', 'Pix'),
                        'description' => Settings::read('description'),
                        'supports' => ['products', 'refunds'],
                    ];
                }
            });
        });
    }
}
