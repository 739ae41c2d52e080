public import StoreCore

extension Dependencies {
    /// Makes the dependencies of effects in a test, in which nothing happens by itself. The test
    /// moves the clock, random numbers come from a seed, and identifiers count up. An effect that
    /// uses a dependency without a value gets an error with its name.
    public static func controlled(
        by clock: ManualClock = ManualClock(),
        seed: UInt64 = 0
    ) -> Dependencies {
        Dependencies.unprepared.controlled(by: clock, seed: seed)
    }

    /// Returns these dependencies with the time, the random numbers and the identifiers of
    /// ``controlled(by:seed:)-(_,UInt64)``.
    package func controlled(by clock: ManualClock, seed: UInt64 = 0) -> Dependencies {
        self.setting(ClockKey.self, to: clock)
            .setting(WallClockKey.self, to: clock.timeOfDay)
            .setting(RandomKey.self, to: SeededRandom(seed: seed).next)
            .setting(UUIDKey.self, to: CountedUUIDs().next)
    }
}
