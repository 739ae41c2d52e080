public import StoreCore

extension Dependencies {
    /// A world in which nothing happens by itself: this clock and its time of day, random numbers
    /// from a seed, counted identifiers. Whatever else is used without having been set is an error
    /// that names it.
    public static func controlled(
        by clock: ManualClock = ManualClock(),
        seed: UInt64 = 0
    ) -> Dependencies {
        Dependencies.unprepared
            .setting(ClockKey.self, to: clock)
            .setting(WallClockKey.self, to: clock.timeOfDay)
            .setting(RandomKey.self, to: SeededRandom(seed: seed).next)
            .setting(UUIDKey.self, to: CountedUUIDs().next)
    }
}
