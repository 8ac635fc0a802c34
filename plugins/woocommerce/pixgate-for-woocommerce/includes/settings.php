<?php

declare(strict_types=1);

namespace Pixgate\WooCommerce;

use Pixgate\Client;
use Pixgate\ValidationError;

/** What the shop's owner has entered, and the client made of it. */
final class Settings
{
    public const OPTION = 'woocommerce_pixgate_settings';
    /** Id, address and secret of the webhook endpoint that this shop has registered. */
    public const ENDPOINT = 'pixgate_webhook_endpoint';
    /** Names this installation in keys and references. */
    private const SHOP = 'pixgate_shop';
    /** Events that change an order. */
    private const EVENTS = [
        ...['payment_completed', 'payment_expired', 'payment_failed', 'refund_completed', 'refund_failed'],
        ...['balance_block_created', 'balance_block_approved', 'balance_block_rejected'],
    ];
    /** Refused by a gateway of 0.1.0, which does not know it. There the poll sees what changed. */
    private const NEWER_EVENTS = ['balance_block_changed'];

    public static function read(string $name, string $otherwise = ''): string
    {
        $all = get_option(self::OPTION, []);
        return is_array($all) && is_string($all[$name] ?? null) && $all[$name] !== '' ? $all[$name] : $otherwise;
    }

    public static function areComplete(): bool
    {
        return self::read('url') !== '' && self::read('client_id') !== '' && self::read('client_secret') !== '';
    }

    /** A client that gives up within a page's patience: a customer waits for it. */
    public static function client(): Client
    {
        return new Client(
            self::read('url'),
            self::read('client_id'),
            self::read('client_secret'),
            timeout: 10.0,
            maxRetries: 1,
        );
    }

    /** Seconds that a code can be paid. */
    public static function expiresIn(): int
    {
        return max(5, min(1_440, (int) self::read('minutes', '30'))) * 60;
    }

    /**
     * A shop's id by chance, not by its address: one that is installed anew counts its orders from one again, and the gateway would
     * answer with the charges of the shop before.
     */
    public static function shop(): string
    {
        if (get_option(self::SHOP, '') === '') {
            // Of two at the same time the second one adds nothing.
            add_option(self::SHOP, bin2hex(random_bytes(6)), '', false);
        }
        return (string) get_option(self::SHOP);
    }

    public static function webhookAddress(): string
    {
        return WC()->api_request_url('pixgate');
    }

    /** The secrets that a delivery may be signed with; none before an endpoint is registered. */
    public static function webhookSecrets(): array
    {
        $endpoint = get_option(self::ENDPOINT, []);
        return is_string($endpoint['secret'] ?? null) ? [$endpoint['secret']] : [];
    }

    /**
     * Registers this shop's address at the gateway, unless it is registered there. An endpoint that has the address already is of
     * an earlier installation, whose secret nobody knows any more: it goes.
     *
     * @throws \Pixgate\PixgateError the gateway refuses the credential or the address, or does not answer
     */
    public static function registerEndpoint(): void
    {
        $all = [...self::EVENTS, ...self::NEWER_EVENTS];
        $of = hash('sha256', self::read('url') . ' ' . self::read('client_id') . ' ' . self::webhookAddress() . ' ' . implode(' ', $all));
        if ((get_option(self::ENDPOINT, [])['of'] ?? null) === $of) {
            return;
        }
        $client = self::client();
        foreach ($client->webhookEndpoints->list()->toArray(100) as $one) {
            if ($one['url'] === self::webhookAddress()) {
                $client->webhookEndpoints->delete($one['id']);
            }
        }
        $make = static fn (array $events): array => $client->webhookEndpoints->create([
            'url' => self::webhookAddress(),
            'events' => $events,
            'description' => 'WooCommerce: ' . wp_specialchars_decode(get_option('blogname'), ENT_QUOTES),
            'retry' => 'extended',
        ]);
        try {
            $endpoint = $make($all);
        } catch (ValidationError) {
            $endpoint = $make(self::EVENTS);
        }
        update_option(self::ENDPOINT, ['of' => $of, 'id' => $endpoint['id'], 'secret' => $endpoint['secret']], false);
    }
}
