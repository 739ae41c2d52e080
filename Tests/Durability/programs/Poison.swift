// A store whose reducer breaks the process in ways that no reducer should.

import StoreCore
import StoreServer

struct Cup: Codable, Equatable {
    var drops = 0
}

struct DropAdded: Action, Codable {}

/// Traps: the reducer reads an array beyond its end.
struct TrapSprung: Action, Codable {
    let index: Int
}

/// Calls itself until the stack overflows.
struct WellFallenInto: Action, Codable {
    let depth: Int
}

/// Never ends.
struct WheelTurned: Action, Codable {}

func fall(_ depth: Int) -> Int {
    let next = fall(depth &+ 1)
    return next &+ depth
}

Server(
    state: Cup(),
    actions: [DropAdded.self, TrapSprung.self, WellFallenInto.self, WheelTurned.self]
) { (cup: inout Cup, action) in
    cup.drops += 1
    switch action {
    case let action as TrapSprung: cup.drops = [1, 2, 3][action.index]
    case let action as WellFallenInto: cup.drops = fall(action.depth)
    case is WheelTurned:
        while cup.drops != 0 { cup.drops = cup.drops &* 3 | 1 }
    default: break
    }
}.main()
