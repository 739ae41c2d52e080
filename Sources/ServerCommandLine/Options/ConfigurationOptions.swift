/// What all options have in common.
package enum ConfigurationOptions {
    /// What the environment variables of options begin with.
    package static let environmentPrefix = "STORE_SERVER_"
    /// The most that a configuration file may hold.
    package static let fileBytesMax = 1 << 20
}
