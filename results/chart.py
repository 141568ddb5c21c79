#!/usr/bin/env python3
"""Draws results/chart.svg: Elo against games spent, from the summaries in results/published.

    python3 results/chart.py            # writes results/chart.svg
    python3 results/chart.py --check    # fails if the file is not up to date
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PUBLISHED = HERE / "published"
CHART = HERE / "chart.svg"

# The runs whose candidate became the engine. Number 6 repeats the gain of rounds before it against other weights.
ACCEPTED = {1, 2, 3, 4, 5, 8, 9, 10, 14}
# Matches against Stockfish 15.1 with `Use NNUE = false` at 2+0.02.
STOCKFISH = {11, 18, 23}
WIDTH, HEIGHT = 760, 560
LEFT, RIGHT = 70, 20


def runs():
    """Returns (number, name, summary) of every published run, in the order in which they were played."""
    found = []
    for folder in PUBLISHED.iterdir():
        number, _, name = folder.name.partition("-")
        found.append((int(number), name, json.loads((folder / "summary.json").read_text())))
    return sorted(found, key=lambda run: run[0])


class Panel:
    """A coordinate system of its own: games to the right, Elo upwards."""

    def __init__(self, top, bottom, low, high, games, step):
        self.top, self.bottom, self.low, self.high, self.games, self.step = top, bottom, low, high, games, step

    def x(self, games):
        return LEFT + games / self.games * (WIDTH - LEFT - RIGHT)

    def y(self, elo):
        return self.bottom - (elo - self.low) / (self.high - self.low) * (self.bottom - self.top)

    def axes(self, title):
        parts = [f'<text x="{LEFT}" y="{self.top - 10}" class="title">{title}</text>']
        for elo in range(self.low, self.high + 1, self.step):
            y = self.y(elo)
            parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" class="grid"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" class="right">{elo:+d}</text>')
        for games in range(0, self.games + 1, 2000):
            parts.append(f'<text x="{self.x(games):.1f}" y="{self.bottom + 18}" class="middle">{games:,}</text>')
        return parts

    def point(self, games, elo, error, label):
        x, y = self.x(games), self.y(elo)
        top, bottom = self.y(min(elo + error, self.high)), self.y(max(elo - error, self.low))
        return [
            f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" class="error"/>',
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{label}</title></circle>',
        ]


def chart():
    played = runs()
    total = sum(summary["games"] for _, _, summary in played)
    games_axis = (total // 2000 + 1) * 2000
    steps = Panel(50, 320, 0, 700, games_axis, 100)
    against = Panel(390, 510, -250, -50, games_axis, 50)
    spent, sum_elo, path = 0, 0.0, [(0, 0.0)]
    points, matches = [], []
    for number, name, summary in played:
        spent += summary["games"]
        elo, error = summary["elo"], summary["elo_error"]
        if number in ACCEPTED:
            path += [(spent, sum_elo), (spent, sum_elo + elo)]
            sum_elo += elo
            points += steps.point(spent, sum_elo, error, f"{name}: {elo:+.0f} ± {error:.0f}")
        if number in STOCKFISH:
            matches += against.point(spent, elo, error, f"{name}: {elo:+.0f} ± {error:.0f}")
    path.append((spent, sum_elo))
    line = " ".join(f"{steps.x(x):.1f},{steps.y(y):.1f}" for x, y in path)
    body = steps.axes("Sum of the gains of the accepted steps, each measured against the step before (Elo)")
    body += [f'<polyline points="{line}" class="path"/>'] + points
    body += against.axes("Match against Stockfish 15.1 with Use NNUE = false, 2+0.02 (Elo)") + matches
    body.append(f'<text x="{(LEFT + WIDTH - RIGHT) // 2}" y="{HEIGHT - 12}" class="middle">games spent in published runs</text>')
    style = (
        "text{font:13px sans-serif;fill:#333}.title{font-weight:bold}.right{text-anchor:end}.middle{text-anchor:middle}"
        ".grid{stroke:#ddd}.error{stroke:#36c;stroke-width:1.5}.path{fill:none;stroke:#36c;stroke-width:2}circle{fill:#36c}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    background = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    return "\n".join([head, f"<style>{style}</style>", background, *body, "</svg>", ""])


def main():
    text = chart()
    if sys.argv[1:] == ["--check"]:
        if not CHART.exists() or CHART.read_text() != text:
            sys.exit("results/chart.svg is not up to date: run `python3 results/chart.py`")
        return
    CHART.write_text(text)


if __name__ == "__main__":
    main()
