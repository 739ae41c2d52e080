import Testing

@testable import StoreCore

@Suite struct SeenModulesTests {
    private let all: (Int) -> Bool = { _ in true }

    @Test func `a client's state stays the same while only others' slices change`() {
        var seen = LastModuleChanges(after: 10)
        seen.note(SliceEdit(2), at: 11)
        seen.note(SliceEdit(0, SliceKey(owner: "ada")), at: 12)
        seen.note(SliceEdit(1, SliceKey(instance: "7")), at: 13)

        func since(_ session: String?, _ modules: Set<Int>) -> UInt64? {
            (9...13).first {
                seen.isUnchanged(
                    for: [OwnerHash(session ?? SessionName.shared)],
                    seeing: modules.contains,
                    since: $0
                )
            }
        }
        #expect(since("ada", []) == 10)
        #expect(since("ada", [2]) == 11)
        #expect(since("ada", [0]) == 12 && since("ada", [0, 2]) == 12)
        #expect(since("bob", [0]) == 10 && since("bob", [0, 2]) == 11)
        #expect(since(nil, [0]) == 10 && since(nil, [1]) == 13)
        // A module that never changed, and a module beyond the recorded modules.
        #expect(since("ada", [5]) == 10)
    }

    @Test func `a client without a session has the slice of the shared session`() {
        var seen = LastModuleChanges(after: 0)
        seen.note(SliceEdit(0, SliceKey(owner: SessionName.shared)), at: 1)
        #expect(!seen.isUnchanged(for: [OwnerHash(SessionName.shared)], seeing: all, since: 0))
        #expect(seen.isUnchanged(for: [OwnerHash("ada")], seeing: all, since: 0))
    }

    @Test func `versions that were taken back are forgotten`() {
        var seen = LastModuleChanges(after: 0)
        seen.note(SliceEdit(0), at: 1)
        seen.note(SliceEdit(0), at: 2)
        seen.note(SliceEdit(1, SliceKey(owner: "ada")), at: 3)
        seen.forget(after: 1)
        #expect(seen.isUnchanged(for: [OwnerHash("ada")], seeing: all, since: 1))
        #expect(!seen.isUnchanged(for: [OwnerHash("ada")], seeing: all, since: 0))
    }

    @Test func `beyond its bound the table drops all older changes`() {
        var seen = LastModuleChanges(after: 0)
        for number in 1...LastModuleChanges.slicesMax {
            seen.note(SliceEdit(0, SliceKey(owner: "\(number)")), at: UInt64(number))
        }
        let last = UInt64(LastModuleChanges.slicesMax)
        #expect(seen.isUnchanged(for: [OwnerHash("1")], seeing: all, since: 1))
        seen.note(SliceEdit(1, SliceKey(owner: "1")), at: last + 1)
        #expect(!seen.isUnchanged(for: [OwnerHash("1")], seeing: { $0 == 0 }, since: last))
        #expect(seen.isUnchanged(for: [OwnerHash("1")], seeing: all, since: last + 1))
    }
}
