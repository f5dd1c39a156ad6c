"""The description of the distribution is README.md.

Its links and pictures become absolute once the project has an address.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Description(MetadataHookInterface):
    """Sets `readme` when a distribution is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        address = metadata["urls"]["Repository"]
        if "//example.org/" not in address:
            text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:)", rf"\1{address}/raw/main/", text)
            text = re.sub(r"\]\((?!\w+:|#)", f"]({address}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
