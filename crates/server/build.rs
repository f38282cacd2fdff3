//! Has the crate compiled again when the web app was built anew: the binary embeds it.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
