//! The puzzles of this program: each crate that is named here enters its puzzle into the registry.

use gridhunt_bunny as _;
use gridhunt_clickomania as _;
use gridhunt_floodit as _;
use gridhunt_kami as _;
