/// Where a container stands: how many are open with it, and its serial number.
struct EncodingPlace {
    let level: UInt32
    let serial: UInt32
}

typealias EncodingStatePointer = UnsafeMutablePointer<EncodingState>

/// What an encoder and all its containers share: the output, and which containers are open.
///
/// Containers hold a pointer to it and plain numbers, so that copying them costs no reference
/// counting. A container is closed by the next write outside it, not by its owner: `Codable` has no
/// call for the end of one.
struct EncodingState: ~Copyable {
    /// One open container.
    struct Level {
        var serial: UInt32
        var closer: UInt8
        /// Where its opening bracket stands.
        var start: Int
        /// Which keys are written so far.
        var members = EncodingMembers()
    }

    var output = JSONOutput(capacity: 512)
    var keyTypes = KeyTypes<EncodingPlace>()
    var plans: TypePlans<any CollectionEncodable.Type>
    private(set) var levels: UnsafeMutablePointer<Level>
    private(set) var depth = 0
    private var serial: UInt32 = 0
    /// Whether something was written that has no place at the end of the output: into a container
    /// that had been closed already, or under a key that was taken.
    var outOfPlace = false
    /// How many values' own code is running.
    var calls = 0
    /// How many may. Once that was passed none may, so that a value which tries itself again and
    /// again comes to an end.
    var callsMax = JSONLimits.callsMax
    /// Where a part begins that could not be written, until the next write cuts it off; -1 for
    /// none.
    private var brokenFrom = -1
    private var brokenLevel = 0
    /// The keys of each level that are not told apart by bits.
    private var names: [Set<[UInt8]>] = []
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    init(_ adapters: AdapterList) {
        plans = TypePlans(adapters)
        levels = .allocate(capacity: JSONLimits.depthCeiling + 1)
    }

    deinit {
        levels.deallocate()
    }

    mutating func begin(_ userInfo: [CodingUserInfoKey: any Sendable]) {
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
        restart()
    }

    mutating func restart() {
        output.truncate()
        depth = 0
        outOfPlace = false
        calls = 0
        callsMax = JSONLimits.callsMax
        brokenFrom = -1
    }

    mutating func end(keeping bytesMax: Int) {
        output.truncate(to: 0, keeping: bytesMax)
        if !names.isEmpty { names = [] }
    }

    /// Opens a container at the end of the output. Returns its serial number.
    @inline(__always)
    mutating func open(_ opener: UInt8, _ closer: UInt8) -> UInt32 {
        serial &+= 1
        // Beyond the bound nothing is opened; `encode` has refused to go that deep before.
        guard depth < JSONLimits.depthCeiling else {
            outOfPlace = true
            return serial
        }
        levels[depth] = Level(serial: serial, closer: closer, start: output.count)
        depth &+= 1
        output.byte(opener)
        return serial
    }

    /// Closes what is open deeper than `level`.
    @inline(__always)
    mutating func close(to level: Int) {
        while depth > level {
            depth &-= 1
            output.byte(levels[depth].closer)
        }
    }

    /// Makes the container of this level and serial the one to write to, with a comma if it needs
    /// one. Returns where that begins, or -1 where the container was closed already.
    @inline(__always)
    mutating func enter(_ level: UInt32, _ serial: UInt32) -> Int {
        cutBroken()
        let index = Int(level) &- 1
        guard index < depth, levels[index].serial == serial else {
            outOfPlace = true
            return -1
        }
        close(to: Int(level))
        let mark = output.count
        if mark &- 1 != levels[index].start { output.byte(UInt8(ascii: ",")) }
        return mark
    }

    /// Notes that the value which begins at `mark` could not be written.
    ///
    /// It stays for now, so that an error has its place. Where a type's own code ignores the error,
    /// its next write cuts the value off.
    @inline(never)
    mutating func giveUp(from mark: Int, _ level: UInt32) {
        brokenFrom = mark
        brokenLevel = Int(level)
    }

    @inline(__always)
    mutating func cutBroken() {
        guard brokenFrom >= 0 else { return }
        output.truncate(to: brokenFrom)
        depth = min(depth, brokenLevel)
        brokenFrom = -1
    }

    /// Takes note of a key that was just written from `start` on, at the innermost level. Returns
    /// whether it is the first of its name there.
    @inline(never)
    private mutating func claimName(from start: Int) -> Bool {
        while names.count < depth { names.append([]) }
        let index = depth &- 1
        guard index >= 0 else { return false }
        if let written = levels[index].members.giveWay() {
            names[index] = Set(written)
        }
        return names[index].insert(Array(output.bytes[start...])).inserted
    }

    /// Writes a key of a table, and a comma before it if there must be one. Returns where that
    /// begins, or -1 where nothing may be written.
    @inline(__always)
    mutating func enter(
        _ place: EncodingPlace,
        _ key: JSONKeyTable.Key,
        _ index: Int,
        of table: JSONKeyTable
    ) -> Int {
        let mark = enter(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.padded(key.bytes, key.count)
        guard levels[depth &- 1].members.claim(index, of: table) ?? claimName(from: start) else {
            outOfPlace = true
            return -1
        }
        return mark
    }

    /// The same for a key that no table has.
    @inline(never)
    mutating func enter(_ place: EncodingPlace, named name: String) -> Int {
        let mark = enter(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.string(name)
        output.byte(UInt8(ascii: ":"))
        guard claimName(from: start) else {
            outOfPlace = true
            return -1
        }
        return mark
    }

    /// The container that was opened at this place of the output and is still open, if there is
    /// one.
    @inline(__always)
    func opened(at start: Int, above level: Int, closer: UInt8) -> UInt32? {
        guard depth > level, levels[level].start == start, levels[level].closer == closer else {
            return nil
        }
        return levels[level].serial
    }

    /// Where the output ends, as a JSON Pointer. Reads what is written so far; for errors only.
    var pointer: String {
        codingPath.pointer
    }

    /// The same as coding keys.
    var codingPath: [any CodingKey] {
        JSONPrefix.path(of: output.bytes)
    }
}
