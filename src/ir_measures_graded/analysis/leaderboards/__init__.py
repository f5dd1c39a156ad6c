"""Two leaderboards of the same systems, and experiments that were repeated.

- `reading`: leaderboards from values by topic or means, in the forms of several tools.
- `pairs`: the pairs of systems that differ significantly in one leaderboard, in the other, or in
  both.
- `comparison`: `compare_leaderboards`, and its result.
- `reproduction`: `reproduce`, and its result.
"""

from .comparison import LeaderboardComparison, compare_leaderboards
from .reproduction import Reproduction, reproduce

__all__ = ["LeaderboardComparison", "Reproduction", "compare_leaderboards", "reproduce"]
