import StoreCore
import StoreWire

extension RegisteredType {
    /// The module and the access of a type's actions.
    struct Place {
        let module: String
        var access = ActionAccess.everybody
        let isForInstances: Bool

        /// Returns the form of an enum's case on the wire.
        func form(
            of choice: EnumForm.Case,
            _ type: any (Decodable & SendableMetatype).Type
        ) -> ActionForm {
            guard isForInstances else {
                return ActionForm(choice.wireName(in: module), type, caseName: choice.key)
            }
            return form(choice.key, type, caseName: choice.key)
        }

        /// Returns the form on the wire of an action whose wire name ends with `name`.
        func form(
            _ name: String,
            _ type: any (Decodable & SendableMetatype).Type,
            caseName: String? = nil
        ) -> ActionForm {
            guard isForInstances else {
                return ActionForm("\(module)/\(name)", type, caseName: caseName)
            }
            return ActionForm(
                "\(module)/{id}/\(name)",
                type,
                caseName: caseName,
                pattern: "^\(module)/.{1,\(InstanceID.bytesMax)}/\(name)$"
            )
        }
    }
}
