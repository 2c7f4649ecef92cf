"""What source texts say by their grammar: functions, calls, loops, definitions, and where a grammar lost its way."""
