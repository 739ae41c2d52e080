"""The licence is the MIT licence (Unicore's U32)."""

import re

from harness import ROOT

# The text of https://opensource.org/license/mit after the copyright notice.
MIT = """
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following
conditions: The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE
AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR
OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def test_u32_the_library_is_under_the_mit_licence():
    text = (ROOT / "LICENSE").read_text()
    title, notice, permission = re.split(r"\n\n", text, maxsplit=2)
    assert title == "MIT License"
    assert re.fullmatch(r"Copyright \(c\) 20\d\d The StoreServer authors", notice)
    assert permission.split() == MIT.split()
    assert "MIT License; see LICENSE" in (ROOT / "NOTICE").read_text()
