<?php

declare(strict_types=1);

namespace Pixgate;

/**
 * A list that is fetched page by page, as it is read:
 *
 *     foreach ($pixgate->transactions->list(['status' => 'completed']) as $transaction) { … }
 *     $page = $pixgate->transactions->list(['limit' => 100])->page();
 *
 * Nothing is requested before the first item or page is.
 *
 * @implements \IteratorAggregate<int, array<string, mixed>>
 */
final class Listing implements \IteratorAggregate
{
    /**
     * @param \Closure(array<string, mixed>): array<string, mixed> $fetch
     * @param array<string, mixed> $query
     * @internal
     */
    public function __construct(
        private readonly \Closure $fetch,
        private readonly array $query,
        private readonly string $items,
    ) {
    }

    /** The first page. For the next one pass its `nextCursor` as `cursor`, or read `pages()`. */
    public function page(): array
    {
        return ($this->fetch)($this->query);
    }

    /**
     * Every page, from the one that the query names.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function pages(): \Generator
    {
        for ($query = $this->query; $query !== null; $query = self::next($query, $page)) {
            $page = ($this->fetch)($query);
            yield $page;
        }
    }

    public function getIterator(): \Generator
    {
        $position = 0;
        foreach ($this->pages() as $page) {
            foreach ($page[$this->items] as $item) {
                yield $position++ => $item;
            }
        }
    }

    /**
     * The first items, at most `$limit` of them.
     *
     * @return list<array<string, mixed>>
     */
    public function toArray(int $limit): array
    {
        $items = [];
        if ($limit <= 0) {
            return $items;
        }
        foreach ($this as $item) {
            $items[] = $item;
            if (count($items) >= $limit) {
                break;
            }
        }
        return $items;
    }

    private static function next(array $query, array $page): ?array
    {
        if (is_string($page['nextCursor'] ?? null)) {
            return ['cursor' => $page['nextCursor']] + $query;
        }
        if (isset($page['page'], $page['totalPages']) && $page['page'] < $page['totalPages']) {
            return ['page' => $page['page'] + 1] + $query;
        }
        return null;
    }
}
