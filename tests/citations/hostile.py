"""Hostile answers: pieces of syntax put together at random, in runs of words and in lines of blocks."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = r"""
[Evidence 1]¦[Evidence 2]¦[Evidence 9]¦[Evidence 1, 3]¦[Evidence 1.5]¦【4:0†s】¦[x](https://evil.example/a)
![i](https://evil.example/i.png)¦<img src=x>¦<img src="y">¦<img ¦<https://evil.example>¦<a@evil.example>
https://evil.example/x¦www.evil.example¦a@evil.example¦evil.com¦//evil.com¦&commat;¦https&colon;//evil.example¦\¦`¦``
```¦~~~¦~¦*¦**¦_¦[¦]¦(¦)¦!¦<¦>¦<script>¦</b>¦<!--¦-->¦<div>¦[r]: https://evil.example¦[r]¦[^1]¦[^1]: foot¦^[¦|¦| a | b |
|---|---|¦---¦===¦- ¦+ ¦1. ¦2) ¦> ¦# ¦    ¦  ¦ ¦a¦word ¦"¦'¦:¦&¦&lt;¦&#91;¦javascript:alert(1)¦(javascript:alert(1))¦](¦![
[a b]:¦[a b]:c ¦[a b]:/c ¦](https://evil.example)¦=¦{¦}¦$¦^¦*[HTML]: x¦HTML¦#¦@¦;¦&amp¦h¦www¦.¦com¦//¦http¦s:¦mailto:¦é
"""
_CONTROLS = ["\t", "\n", "\n\n", "  \n", "\\\n", "\r\n", "\u200b", "\u202e", "\x00", "\ud800", "\u00a0"]
_CONTROLS += ["\ufdd0", "\ufdd6", "\ufdd7"]
_LEADS = "¦> ¦- ¦-¦  ¦    ¦\t¦1. ¦2. ¦   ¦* ¦+ ¦# ¦- - ¦> > ¦>- ¦      ¦10) ¦-\t¦ \t"
_BODIES = r"""
```¦~~~¦````¦``` x¦[Evidence 9]¦[Evidence 9] ¦<img src=x>¦[Evidence 1]¦text¦`¦`a¦b`¦![i](https://evil.example)
[x](https://evil.example)¦https://evil.example¦---¦===¦- - -¦***¦| a | b |¦|---|---|¦--|--¦`a | b`¦<div>¦</div>¦<!--¦-->
<script>¦<pre>¦[r]: https://evil.example¦[r]:¦[^1]: x¦[^1]¦a | `b¦c` | d¦1.¦#¦>¦-¦[a](¦b)¦\¦[ ] x¦---|¦***[Evidence 9]
--[Evidence 9]-¦|[Evidence 9]--|--|¦~~<img src=x>~¦2. ```¦<https://evil.example>
"""


def _pieces(table: str) -> list[str]:
    return [piece for line in table.strip("\n").split("\n") for piece in line.split("¦")]


WORDS = st.lists(st.sampled_from([*_pieces(_WORDS), *_CONTROLS]), min_size=1, max_size=30).map("".join)
_LEAD = st.lists(st.sampled_from(_LEADS.split("¦")), max_size=2).map("".join)
_BODY = st.lists(st.sampled_from(_pieces(_BODIES)), min_size=1, max_size=2).map(" ".join)
_LINE = st.tuples(_LEAD, _BODY).map("".join)
_LINE_ENDS = st.sampled_from(["\n", "\n", "\r\n"])
LINES = st.tuples(st.lists(_LINE, min_size=1, max_size=12), _LINE_ENDS).map(lambda drawn: drawn[1].join(drawn[0]))
HOSTILE_ANSWERS = WORDS | LINES
