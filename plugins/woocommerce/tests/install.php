<?php

/**
 * Makes a shop of a folder that has WordPress, and WooCommerce in wp-content/plugins:
 *
 *     php install.php FOLDER http://127.0.0.1:8001 DATABASE-HOST [posts]
 *
 * With `posts` orders are kept as older shops keep them (without HPOS).
 * The database `wordpress` is there, and root needs no password for it. Every table that is in it is dropped.
 */

declare(strict_types=1);

[, $folder, $address, $host] = $argv;
$hpos = ($argv[4] ?? '') !== 'posts';
file_put_contents("$folder/wp-config.php", sprintf(<<<'PHP'
<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', %s);
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', %s);
define('WP_SITEURL', %2$s);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', __DIR__ . '/debug.log');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', hash('sha256', __DIR__ . $name));
    define($name . '_SALT', hash('sha256', $name . __DIR__));
}
$table_prefix = 'wp_';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
PHP, var_export($host, true), var_export($address, true)));

mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$database = new mysqli('localhost', 'root', '', 'wordpress', 0, preg_replace('/^localhost:/', '', $host));
foreach ($database->query('show tables')->fetch_all() as [$table]) {
    $database->query("drop table `$table`");
}

$_SERVER += ['HTTP_HOST' => parse_url($address, PHP_URL_HOST), 'SERVER_PROTOCOL' => 'HTTP/1.1'];
define('WP_INSTALLING', true);
require "$folder/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Loja da Ana', 'ana', 'ana@shop.test', false, '', 'ana-ana-ana');
update_option('active_plugins', ['woocommerce/woocommerce.php', 'pixgate-for-woocommerce/pixgate-for-woocommerce.php']);
update_option('woocommerce_custom_orders_table_enabled', $hpos ? 'yes' : 'no');
update_option('permalink_structure', '/%postname%/');
