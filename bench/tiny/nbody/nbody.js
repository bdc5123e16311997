// The sun and four planets, stepped by a symplectic integrator (the Benchmarks Game's).
const harness = require("../harness");

const DAY = 365.24, SOLAR_MASS = 4 * Math.PI * Math.PI;

class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx * DAY;
    this.vy = vy * DAY;
    this.vz = vz * DAY;
    this.mass = mass * SOLAR_MASS;
  }
}

function makeBodies() {
  return [
    new Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    new Body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
      0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
    new Body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
      -0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
    new Body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
      0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556, 0.0000436624404335156298),
    new Body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
      0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
  ];
}

function offsetMomentum(bodies) {
  let px = 0.0, py = 0.0, pz = 0.0;
  for (const b of bodies) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  const sun = bodies[0];
  sun.vx = -px / SOLAR_MASS;
  sun.vy = -py / SOLAR_MASS;
  sun.vz = -pz / SOLAR_MASS;
}

function advance(bodies, dt) {
  const count = bodies.length;
  for (let i = 0; i < count; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < count; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      const square = dx * dx + dy * dy + dz * dz;
      const magnitude = dt / (square * Math.sqrt(square));
      const ma = a.mass * magnitude, mb = b.mass * magnitude;
      a.vx -= dx * mb;
      a.vy -= dy * mb;
      a.vz -= dz * mb;
      b.vx += dx * ma;
      b.vy += dy * ma;
      b.vz += dz * ma;
    }
  }
  for (const b of bodies) {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

function energy(bodies) {
  let e = 0.0;
  const count = bodies.length;
  for (let i = 0; i < count; i++) {
    const a = bodies[i];
    e += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
    for (let j = i + 1; j < count; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      e -= a.mass * b.mass / Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

function nbody(steps) {
  const bodies = makeBodies();
  offsetMomentum(bodies);
  for (let i = 0; i < steps; i++) advance(bodies, 0.01);
  return energy(bodies).toFixed(9);
}

harness.run(150000, nbody);
