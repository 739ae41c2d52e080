import Dispatch
package import StoreCore
import StorePlatform
import StoreTexts
import Synchronization

/// What hangs on the Core: its middleware, its interceptors and its observers, each with what ends
/// it.
package final class CoreAttachments: Sendable {
    package enum Kind: Sendable {
        case middleware, interceptor, observer
    }

    struct Attachment: Sendable {
        let kind: Kind
        let id: String
        /// The label of the queue that it is called on; `nil` for the Core's own thread.
        let queue: String?
        let ending: PlainCommand
    }

    private struct Attached {
        var all: [Attachment] = []
        /// How many observers there were, so that no id comes twice.
        var observers = 0
    }

    private let attached = Locked(Attached())

    package init() {}

    package func add(_ kind: Kind, _ id: String, ending: PlainCommand) {
        let attachment = Attachment(kind: kind, id: id, queue: nil, ending: ending)
        attached.withLock { $0.all.append(attachment) }
    }

    /// Adds an observer under the next of the ids `observer-1`, `observer-2`, and so on, with the
    /// label of the queue that it is called on.
    package func addObserver(on queue: String?, ending: PlainCommand) {
        attached.withLock { attached in
            attached.observers += 1
            attached.all.append(
                Attachment(
                    kind: .observer,
                    id: "observer-\(attached.observers)",
                    queue: queue,
                    ending: ending
                )
            )
        }
    }

    /// All of a kind, in the order in which they were added.
    func all(_ kind: Kind) -> [Attachment] {
        attached.withLock { $0.all.filter { $0.kind == kind } }
    }

    /// Ends one, of several with this id the first. Returns `false` where there is none.
    func end(_ kind: Kind, _ id: String) -> Bool {
        let ended = attached.withLock { attached -> Attachment? in
            guard
                let place = attached.all.firstIndex(where: {
                    $0.kind == kind && $0.id.isSame(as: id)
                })
            else { return nil }
            return attached.all.remove(at: place)
        }
        ended?.ending()
        return ended != nil
    }
}
