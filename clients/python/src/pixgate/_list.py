"""Lists that are fetched page by page."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, Iterator, Mapping, Optional


class List:
    """A list that is fetched page by page, as it is read:

        for transaction in pixgate.transactions.list({"status": "completed"}): ...
        page = pixgate.transactions.list({"limit": 100}).page()

    Nothing is requested before the first item or page is. It may be read again, and then is fetched again.
    """

    def __init__(self, fetch: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any], items: str) -> None:
        self._fetch = fetch
        self._query = dict(query)
        self._items = items

    def page(self) -> Dict[str, Any]:
        """The first page. For the next one pass its `nextCursor` as `cursor`, or read `pages()`."""
        return self._fetch(self._query)

    def pages(self) -> Iterator[Dict[str, Any]]:
        """Every page, from the one that the query names."""
        query: Optional[Dict[str, Any]] = self._query
        while query is not None:
            page = self._fetch(query)
            yield page
            query = _next(query, page)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for page in self.pages():
            yield from page[self._items]

    def to_list(self, limit: int) -> list:
        """The first items, at most `limit` of them."""
        return list(itertools.islice(self, max(0, limit)))


def _next(query: Dict[str, Any], page: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    if isinstance(page.get("nextCursor"), str):
        return {**query, "cursor": page["nextCursor"]}
    number, last = page.get("page"), page.get("totalPages")
    if number is not None and last is not None and number < last:
        return {**query, "page": number + 1}
    return None
