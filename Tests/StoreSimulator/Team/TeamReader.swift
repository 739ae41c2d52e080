import StoreCore
import StorePatterns

/// A client, as the plain rules of the dens see it.
struct TeamReader {
    private let name: String?
    private let role: String?
    private let readsAll: Bool

    init(_ principal: ActionPrincipal?, _ session: String) {
        name = principal?.name
        role = principal?.role
        readsAll =
            principal == nil && session == Sessions.shared && TeamProgram.operatorReads
    }

    init(_ reading: Reading) {
        (name, role) = (reading.principal, reading.principal)
        readsAll = reading.isOperator
    }

    /// Makes the reader of an owner's name; the role of a member has the name of the member.
    init(owner: String) {
        let member = owner.hasPrefix("@") ? String(owner.dropFirst()) : nil
        (name, role) = (member, member)
        // If clients without a session are operators, their views show all slices, too.
        readsAll = Self.isOperator(owner)
    }

    static func isOperator(_ owner: String) -> Bool {
        TeamProgram.operatorReads && owner == "~" + Sessions.shared
    }

    func reads(_ den: Den.State) -> Bool {
        readsAll || den.isOpen || (name.map { den.members.contains($0) } ?? false)
            || (role.map { $0 == den.role } ?? false)
    }

    func reads(_ bulletin: Bulletin.State) -> Bool { readsAll || role == bulletin.role }
}

extension RestrictedValue: VisibleParts {
    func text(of session: String, as owner: String) -> Bytewise {
        let reader = TeamReader(owner: owner)
        switch value {
        case let dens as Instances<Den.State>:
            let members = dens.ids.compactMap { id -> (String, String)? in
                guard let den = dens[id], reader.reads(den) else { return nil }
                return (id, Bytewise(json: den).text)
            }
            return Bytewise(JSONText.object(members))
        case let bulletin as Bulletin.State:
            return reader.reads(bulletin) ? Bytewise(json: bulletin) : .absent
        default: return .absent
        }
    }

    var sessionNames: [String] { (0..<3).map { "@member\($0)" } }
}

/// The schedule of a store with restricted slices, which only operators read.
struct HiddenSchedule: VisibleParts {
    let schedule: Schedule.State

    func text(of session: String, as owner: String) -> Bytewise {
        TeamReader.isOperator(owner) ? Bytewise(json: schedule) : Bytewise("{}")
    }

    var sessionNames: [String] { [] }
}
