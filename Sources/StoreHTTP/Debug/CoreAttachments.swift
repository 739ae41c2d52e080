import Dispatch
package import StoreCore
import StorePlatform
import StoreTexts
import Synchronization

/// The middleware, the interceptors and the observers of the Core, each with the command that
/// removes it.
package final class CoreAttachments: Sendable {
    package enum Kind: Sendable {
        case middleware, interceptor, observer
    }

    struct Attachment: Sendable {
        let kind: Kind
        let id: String
        /// The label of the queue on which it is called; `nil` for the Core's own thread.
        let queue: String?
        let ending: PlainCommand
    }

    private struct Attached {
        var all: [Attachment] = []
        /// The number of observers since the start, so that no id is used twice.
        var observers = 0
    }

    private let attached = Locked(Attached())

    package init() {}

    package func add(_ kind: Kind, _ id: String, ending: PlainCommand) {
        let attachment = Attachment(kind: kind, id: id, queue: nil, ending: ending)
        attached.withLock { $0.all.append(attachment) }
    }

    /// Adds an observer under the next of the ids `observer-1`, `observer-2`, and so on. `queue` is
    /// the label of the queue on which it is called.
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

    /// Returns all attachments of a kind, in the order in which they were added.
    func all(_ kind: Kind) -> [Attachment] {
        attached.withLock { $0.all.filter { $0.kind == kind } }
    }

    /// Removes the first attachment with this id. Returns false if there is none.
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
