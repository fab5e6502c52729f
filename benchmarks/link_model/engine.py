"""A small discrete-event engine: processes are generators, time is in microseconds.

A process yields a number (wait so long) or an Event (wait until it has happened).
"""
import heapq


class Engine:
    def __init__(self):
        self.now = 0.0
        self._queue = []
        self._order = 0  # events of one time happen in the order in which they were asked for

    def at(self, time, call):
        heapq.heappush(self._queue, (time, self._order, call))
        self._order += 1

    def start(self, process):
        self.at(self.now, lambda: self._step(process))

    def run(self):
        """Until nothing is left to happen; returns the time of the last happening."""
        while self._queue:
            self.now, _, call = heapq.heappop(self._queue)
            call()
        return self.now

    def _step(self, process):
        try:
            wish = next(process)
        except StopIteration:
            return
        if isinstance(wish, Event):
            wish.then(lambda: self._step(process))
        else:
            self.at(self.now + wish, lambda: self._step(process))


class Event:
    """Something that happens after `parts` calls of happen()."""

    def __init__(self, parts=1):
        self._missing = parts
        self._calls = []

    def happen(self):
        self._missing -= 1
        if self._missing == 0:
            calls, self._calls = self._calls, []
            for call in calls:
                call()

    def then(self, call):
        if self._missing <= 0:
            call()
        else:
            self._calls.append(call)


class Server:
    """A resource that does `rate` units a microsecond, one job after the other in the order in which they come."""

    def __init__(self, engine, rate):
        self.engine, self.rate = engine, rate
        self.free_at = 0.0
        self.units = 0.0

    def book(self, units, not_before=0.0):
        """Begin and end of the job that is put at the end of the queue."""
        begin = max(self.engine.now, self.free_at, not_before)
        self.free_at = begin + units / self.rate
        self.units += units
        return begin, self.free_at

    def wait(self, units):
        """What a process yields to have the job done."""
        return self.book(units)[1] - self.engine.now


class Tokens:
    """At most `count` holders at a time; who asked first goes first."""

    def __init__(self, count):
        self._free = count
        self._waiting = []
        self._first = 0

    def take(self):
        event = Event()
        if self._free > 0:
            self._free -= 1
            event.happen()
        else:
            self._waiting.append(event)
        return event

    def give(self):
        if self._first < len(self._waiting):
            event = self._waiting[self._first]
            self._first += 1
            event.happen()
        else:
            self._free += 1
