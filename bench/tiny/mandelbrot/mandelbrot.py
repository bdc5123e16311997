"""The points of a grid that stay in the Mandelbrot set for 50 iterations; a hash of the image's bits."""
import harness


def stays(cr, ci):
    zr = zi = rr = ii = 0.0
    for _ in range(50):
        zi = 2.0 * zr * zi + ci
        zr = rr - ii + cr
        rr = zr * zr
        ii = zi * zi
        if rr + ii > 4.0:
            return 0
    return 1


def mandelbrot(n):
    digest = count = 0
    for y in range(n):
        ci = 2.0 * y / n - 1.0
        for x in range(n):
            bit = stays(2.0 * x / n - 1.5, ci)
            count += bit
            digest = (digest * 2 + bit) % 1000003
    return f'{count} {digest}'


harness.run(800, mandelbrot)
