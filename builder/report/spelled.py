"""Numbers, times, sizes and days as people read them; the same everywhere, whatever the locale."""

from datetime import UTC, datetime, timedelta


def seconds(value: float) -> str:
    """`0.42 s`, `12.3 s`, `3 min 05 s`."""
    if value < 1:
        return f"{value:.2f} s"
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    return f"{whole // 60} min {whole % 60:02d} s"


def size(value: float) -> str:
    """Bytes in the unit that gives three or four digits."""
    sign, left = ("-" if value < 0 else ""), abs(value)
    for unit in ("B", "KiB", "MiB"):
        if left < 1024:
            return f"{sign}{left:,.0f} {unit}" if unit == "B" else f"{sign}{left:,.1f} {unit}"
        left /= 1024
    return f"{sign}{left:,.2f} GiB"


def amount(value: float, unit: str) -> str:
    """A figure with its unit: whole numbers whole, nats to the engine's own six digits."""
    match unit:
        case "nats":
            number = f"{value:.6f}"
            number = "0.000000" if number == "-0.000000" else number
        case "ms" | "%":
            number = f"{value:,.2f}" if unit == "ms" else f"{value:.3f}"
        case _:
            number = f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:,.1f}"
    return f"{number} {unit}".rstrip()


def change(value: float) -> str:
    """A difference in bytes, with its sign; nothing is `same`."""
    return "same" if value == 0 else f"+{size(value)}" if value > 0 else size(value)


def day(date: str) -> str:
    """The day of git's `@SECONDS +ZZZZ`, in UTC; anything else as it is."""
    number = date[1:].partition(" ")[0]
    if not date.startswith("@") or not number.lstrip("-").isdigit() or len(number) > 11:
        return date
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(number))).strftime("%Y-%m-%d")


def short(digest: str) -> str:
    """A digest or object id by its first twelve digits."""
    return digest[:12]
