landfall make park
