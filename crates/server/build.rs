//! Has the crate compiled again when the web app or the user guide was built anew: the binary embeds them.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
    println!("cargo::rerun-if-changed=../../docs/site/dist");
}
