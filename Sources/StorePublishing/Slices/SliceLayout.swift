package import StoreCore
import StoreJSON
import StorePlatform
package import StoreTexts
package import StoreWire
import Synchronization

/// The layout of a state of modules: the name and the position of each slice.
///
/// The layout is a class, so that a snapshot for another viewer copies only a reference.
package final class SliceLayout: Sendable {
    /// The modules' names, in their order.
    let names: [String]
    /// The bytes before each slice in the whole state: a separator and the key.
    private let memberPrefixes: [Bytes]
    /// The kind of owners that each module's slices have.
    private let ownershipByModule: [SliceOwnership]
    /// The indices of the modules whose slices depend on the reader. These are restricted slices,
    /// and slices that belong to sessions or users as a whole or in part.
    package let readerDependentModules: [Int]
    /// True if slices, or parts of slices, belong to sessions.
    package let hasSessions: Bool
    /// The indices of the modules whose slices belong to users.
    let userModules: [Int]
    /// True if slices belong to users.
    package var hasUsers: Bool { !userModules.isEmpty }
    /// True if a module has restricted slices.
    package let hasRestrictedSlices: Bool
    /// The indices of the slices that the layout shows; `nil` if the layout shows all slices.
    private let shownIndices: [Int]?
    /// The most layouts for roles in ``layoutsBySight``. At this number, all these layouts are
    /// dropped, because most belong to an earlier policy.
    private static let narrowedLayoutsMax = 1_000

    /// The layouts for roles. Each layout is made once for a sight, which several roles may share.
    private let layoutsBySight = Locked<[Sight: SliceLayout]>([:])

    package convenience init<Root: RootState>(of root: Root.Type) {
        self.init(Root.modules.map(\.name), ownership: Root.readOwnership)
    }

    /// Makes a layout. Without `ownership`, all slices are shared.
    init(_ names: [String], ownership: [SliceOwnership]? = nil, shownIndices: [Int]? = nil) {
        let ownershipByModule = ownership ?? names.map { _ in .everybody }
        self.names = names
        self.ownershipByModule = ownershipByModule
        readerDependentModules = ownershipByModule.indices.filter {
            ownershipByModule[$0] != .everybody
        }
        userModules = ownershipByModule.indices.filter { ownershipByModule[$0] == .principal }
        hasSessions = ownershipByModule.contains { $0 == .session || $0 == .keyedBySession }
        hasRestrictedSlices = ownershipByModule.contains(.readers)
        self.shownIndices = shownIndices
        let members = shownIndices.map { $0.map { names[$0] } } ?? names
        memberPrefixes = members.enumerated().map { index, name in
            var key = JSONOutput(capacity: 32)
            key.raw(index == 0 ? "{" : ",")
            key.string(name)
            key.raw(":")
            return Bytes(key.array)
        }
    }

    /// Returns the layout with only the members that a role may see.
    func narrowed(to sight: Sight) -> SliceLayout {
        if let known = layoutsBySight.withLock({ $0[sight] }) { return known }
        let shown = names.indices.filter { sight.sees(module: names[$0]) }
        let made = SliceLayout(names, ownership: ownershipByModule, shownIndices: shown)
        layoutsBySight.withLock { layouts in
            if layouts.count >= Self.narrowedLayoutsMax { layouts = [:] }
            layouts[sight] = made
        }
        return made
    }

    /// True if some slices are hidden.
    var isNarrowed: Bool { shownIndices != nil }

    /// Returns the owner whose slice of a module the viewer reads; for a restricted module, the
    /// viewer's ``ReaderName``. Returns `nil` if the slice has no owner, or if the viewer reads the
    /// slices of all owners.
    package func owner(of viewer: Viewer, _ module: Int) -> ExactText? {
        switch ownershipByModule[module] {
        case .everybody: nil
        case .session, .keyedBySession: viewer.session
        case .principal: viewer.owner
        case .readers: viewer.readerName.map { ExactText($0) }
        }
    }

    /// Returns true if this layout shows the slice at an index.
    func shows(_ index: Int) -> Bool { shownIndices?.contains(index) ?? true }

    /// Returns the index of a visible module by its name; `nil` if there is no such module.
    func index(of name: String) -> Int? {
        names.firstIndex { $0.isSame(as: name) }.flatMap { shows($0) ? $0 : nil }
    }

    /// The JSON of an absent slice.
    static let absentSliceJSON = Bytes(utf8: "null")

    /// The last byte of the whole state.
    private static let closingBrace = Bytes(utf8: "}")

    /// Returns the JSON of the whole state. If the state is large, the result shares the bytes of
    /// the slices, and copies no slice. `ownBytes` is the number of bytes that no other version
    /// shares.
    func joinedState(_ slices: [Bytes?], ownBytes: Int = .max) -> Bytes {
        guard !memberPrefixes.isEmpty else { return Bytes(utf8: "{}") }
        let slices = shownIndices.map { $0.map { slices[$0] } } ?? slices
        let count = byteCount(ofShown: slices)
        guard count < SSEFrame.sharedBytesMin else {
            let pieces =
                zip(memberPrefixes, slices).flatMap { [$0, $1 ?? Self.absentSliceJSON] } + [
                    Self.closingBrace
                ]
            return Bytes(joining: pieces, shared: max(0, count - min(ownBytes, count)))
        }
        return Bytes(count: count) { buffer in
            var offset = 0
            for part in zip(memberPrefixes, slices).flatMap({ [$0, $1 ?? Self.absentSliceJSON] }) {
                part.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0)
                }
                offset += part.count
            }
            buffer[offset] = UInt8(ascii: "}")
        }
    }

    /// Returns the number of bytes in the JSON of the whole state.
    func byteCount(of slices: [Bytes?]) -> Int {
        byteCount(ofShown: shownIndices.map { $0.map { slices[$0] } } ?? slices)
    }

    private func byteCount(ofShown members: [Bytes?]) -> Int {
        zip(memberPrefixes, members).reduce(memberPrefixes.isEmpty ? 2 : 1) {
            $0 + $1.0.count + ($1.1 ?? Self.absentSliceJSON).count
        }
    }
}
