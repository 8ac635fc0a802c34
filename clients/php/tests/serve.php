<?php

/** Answers each connection of the socket at its standard input with the next text, and prints the request's key. */

declare(strict_types=1);

$held = [];
foreach (json_decode($argv[1]) as $answer) {
    $connection = stream_socket_accept(STDIN, 60) ?: exit(1);
    $request = fread($connection, 65_536);
    echo preg_match('/^idempotency-key: (\S+)/mi', $request, $found) === 1 ? $found[1] : '-', "\n";
    if ($answer === null) {
        $held[] = $connection;
        continue;
    }
    fwrite($connection, $answer);
    fclose($connection);
}
sleep(60);
